// A workflow has values, addresses and effects.
@_exported public import WorkflowHTTP
package import WorkflowData

/// The jq expression; Foundation has another type with this name.
package typealias Expression = WorkflowData.Expression
