# The example module with an add-on and its rules.

variable "policy" {
  type = string
}

variable "agent_version" {
  type    = string
  default = null
}

variable "agent_installed" {
  type = bool
}

resource "aws_eks_addon" "agent" {
  for_each = var.agent_version == null ? {} : { agent = var.agent_version }

  cluster_name  = aws_eks_cluster.this.name
  addon_name    = each.key
  addon_version = each.value

  lifecycle {
    create_before_destroy = true
  }
}

data "aws_eks_addon" "agent" {
  for_each = { for name, cluster in data.aws_eks_cluster.running : name => cluster if var.agent_installed }

  cluster_name = each.key
  addon_name   = "agent"
}
