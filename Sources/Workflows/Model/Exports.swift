// A workflow has values, addresses and effects.
@_exported public import WorkflowHTTP
package import WorkflowData

/// The jq expression, whose name Foundation has for something else.
package typealias Expression = WorkflowData.Expression
