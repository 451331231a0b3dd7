# Converts the events of "terraform plan -json" into GitHub annotations: each diagnostic
# at its line, with the ID of its rule as the title.
#
#   jq -r -f annotations.jq events.jsonl

def escaped: gsub("%"; "%25") | gsub("\r"; "%0D") | gsub("\n"; "%0A");
def property: escaped | gsub(":"; "%3A") | gsub(","; "%2C");

# The last paragraph of a finding's detail has a line "Rule <id>: <url>" for each rule.
def rules:
  [.detail // "" | split("\n\n") | last // "" | split("\n")[]
    | select(startswith("Rule ")) | ltrimstr("Rule ") | split(": ")[0]]
  | if length > 0 then join(", ") else null end;

select(.type == "diagnostic").diagnostic
| ([
    (.range | select(.) | "file=\(.filename | property)", "line=\(.start.line)"),
    "title=\(rules // .severity | property)"
  ] | join(",")) as $properties
| "::\(.severity) \($properties)::\([.summary, .detail // empty] | map(select(. != "")) | join("\n\n") | escaped)"
