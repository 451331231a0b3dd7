# The cluster that the first example of the README refers to.

resource "aws_eks_cluster" "prod" {
  name     = "prod"
  role_arn = "arn:aws:iam::123456789012:role/cluster"
  version  = "1.37"

  vpc_config {
    subnet_ids = ["subnet-1", "subnet-2"]
  }
}

resource "aws_eks_node_group" "general" {
  cluster_name    = aws_eks_cluster.prod.name
  node_group_name = "general"
  node_role_arn   = "arn:aws:iam::123456789012:role/node"
  subnet_ids      = ["subnet-1", "subnet-2"]
  version         = "1.37"

  scaling_config {
    desired_size = 1
    max_size     = 1
    min_size     = 1
  }
}

resource "aws_eks_node_group" "gpu" {
  cluster_name    = aws_eks_cluster.prod.name
  node_group_name = "gpu"
  node_role_arn   = "arn:aws:iam::123456789012:role/node"
  subnet_ids      = ["subnet-1", "subnet-2"]
  version         = "1.33"

  scaling_config {
    desired_size = 1
    max_size     = 1
    min_size     = 1
  }
}
