# Writes the comment from "terraform show -json plan.bin". The first line marks it, so
# that the next run finds it.
[inputs][0].planned_values.outputs.comment.value
| . // ["The versions were not checked, because the plan failed earlier. Its errors are in the log of the job."]
| "<!-- versionskew -->", (.[] | .[:30000]) # GitHub accepts 65,536 characters.
