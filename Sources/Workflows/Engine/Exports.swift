// `import Workflows` is enough to run workflow files, and to test them in the sandbox.
@_exported public import GraphSandbox
public import WorkflowData
@_exported public import WorkflowHistory

/// The jq expression; Foundation has another type with this name.
public typealias Expression = WorkflowData.Expression
