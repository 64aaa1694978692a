import Workflows
