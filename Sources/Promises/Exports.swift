// Handlers run on queues.
@_exported public import Dispatch
