// `import Workflows` is enough to run workflow files, and to try them against the sandbox.
@_exported public import GraphSandbox
public import WorkflowData
@_exported public import WorkflowHistory

/// The jq expression, whose name Foundation has for something else.
public typealias Expression = WorkflowData.Expression
