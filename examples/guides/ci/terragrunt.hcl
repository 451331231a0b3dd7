terraform {
  extra_arguments "plan_file" {
    commands  = ["plan"]
    arguments = ["-out=plan.bin"]
  }

  after_hook "version_skew" {
    commands     = ["plan"]
    execute      = ["bash", "-c", "terraform show -json plan.bin | jq -r '.planned_values.outputs.version_skew.value // empty'"]
    run_on_error = true
  }
}
