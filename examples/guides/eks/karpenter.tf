# The policy eks with the rules for Karpenter. Set policy = data.versionskew_policy.this.json
# on the guard, and declare the version of Karpenter in its components.
data "versionskew_policy" "this" {
  extends = "eks"
  include = ["addons/karpenter"]
}
