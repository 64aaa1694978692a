// `import Workflows` is enough to run workflow files, and to try them against the sandbox.
@_exported public import GraphSandbox
@_exported public import MicrosoftGraph
public import WorkflowData
@_exported public import WorkflowModel

/// The jq expression, whose name Foundation has for something else.
public typealias Expression = WorkflowData.Expression
