// What every target stands on; with the other exports, no file has to import it again.
@_exported public import Essentials
@_exported public import Promises
