/// How a built-in function that computes one value treats marked values.
///
/// The default is sound for every function: the result of an unknown is pending, and the result of a secret is secret.
/// The other policies declare that a function does less with its data.
struct MarkPolicy: Sendable {
    enum Unknowns: Sendable {
        /// The function looks only at the input and the arguments, and moves their contents.
        ///
        /// The shape is the result's if one of these is unknown, or if it depends on an unknown order or equality.
        case moves(Unknown.Shape)
        /// The same for a function that returns an array's elements in another array.
        case rearranges
        /// The result is pending if there is an unknown anywhere.
        case computes(Unknown.Shape, fails: Bool = true)
    }

    enum Secrets: Sendable {
        /// The function moves its input's contents; if the input or an argument is itself secret, so is the result.
        case moves
        /// All texts and numbers of the result are secret if there is a secret anywhere.
        case computes
        /// The result is a position, a length, a Boolean or the like, which is not secret.
        case measures
    }

    var unknowns: Unknowns = .computes(.any)
    var secrets: Secrets = .computes
    /// Whether the result depends on the input in addition to the arguments.
    var usesInput = true
    /// The arguments that are only put into the result.
    var moved: Set<Int> = []

    /// By name and number of arguments, such as `split/1`.
    static func of(_ name: String) -> MarkPolicy { table[name] ?? numeric(name) ?? MarkPolicy() }

    private static func numeric(_ name: String) -> MarkPolicy? {
        guard Builtin.mathematics[name] != nil || Builtin.numbers[name] != nil else { return nil }
        return MarkPolicy(unknowns: .computes(.number), usesInput: name.hasSuffix("/0"))
    }

    private static let numbers = Unknown.Shape.array(.unknown(Unknown("", .number, from: .pending)))
    private static let texts = Unknown.Shape.array(.unknown(Unknown("", .text, from: .pending)))
    private static let anything = Unknown.Shape.array(.unknown(Unknown("", from: .pending)))

    private static let table: [String: MarkPolicy] = [
        "abs/0": MarkPolicy(unknowns: .moves(.any), secrets: .moves),
        "add/0": MarkPolicy(unknowns: .moves(.any), secrets: .moves),
        "ascii_downcase/0": MarkPolicy(unknowns: .computes(.text)),
        "ascii_upcase/0": MarkPolicy(unknowns: .computes(.text)),
        "bsearch/1": MarkPolicy(unknowns: .computes(.number), secrets: .measures),
        "contains/1": MarkPolicy(unknowns: .computes(.boolean), secrets: .measures),
        "delpaths/1": MarkPolicy(unknowns: .moves(.any), secrets: .moves),
        "endswith/1": MarkPolicy(unknowns: .computes(.boolean), secrets: .measures),
        "explode/0": MarkPolicy(unknowns: .computes(numbers)),
        "flatten/0": MarkPolicy(unknowns: .moves(anything), secrets: .moves),
        "flatten/1": MarkPolicy(unknowns: .moves(anything), secrets: .moves),
        "frexp/0": MarkPolicy(unknowns: .computes(numbers)),
        "from_entries/0": MarkPolicy(unknowns: .moves(.object([:])), secrets: .moves),
        "gmtime/0": MarkPolicy(unknowns: .computes(numbers)),
        "implode/0": MarkPolicy(unknowns: .computes(.text)),
        "isfinite/0": MarkPolicy(unknowns: .computes(.boolean, fails: false), secrets: .measures),
        "isinfinite/0": MarkPolicy(unknowns: .computes(.boolean, fails: false), secrets: .measures),
        "isnan/0": MarkPolicy(unknowns: .computes(.boolean, fails: false), secrets: .measures),
        "isnormal/0": MarkPolicy(unknowns: .computes(.boolean, fails: false), secrets: .measures),
        "keys/0": MarkPolicy(unknowns: .moves(anything), secrets: .moves),
        "keys_unsorted/0": MarkPolicy(unknowns: .moves(anything), secrets: .moves),
        "lgamma_r/0": MarkPolicy(unknowns: .computes(numbers)),
        "localtime/0": MarkPolicy(unknowns: .computes(numbers)),
        "ltrim/0": MarkPolicy(unknowns: .computes(.text), secrets: .moves),
        "ltrimstr/1": MarkPolicy(unknowns: .moves(.any), secrets: .moves),
        "mktime/0": MarkPolicy(unknowns: .computes(.number)),
        "modf/0": MarkPolicy(unknowns: .computes(numbers)),
        "reverse/0": MarkPolicy(unknowns: .rearranges, secrets: .moves),
        "rtrim/0": MarkPolicy(unknowns: .computes(.text), secrets: .moves),
        "rtrimstr/1": MarkPolicy(unknowns: .moves(.any), secrets: .moves),
        "setpath/2": MarkPolicy(unknowns: .moves(.any), secrets: .moves, moved: [1]),
        "sort/0": MarkPolicy(unknowns: .rearranges, secrets: .moves),
        "split/1": MarkPolicy(unknowns: .computes(texts)),
        "split/2": MarkPolicy(unknowns: .computes(texts)),
        "startswith/1": MarkPolicy(unknowns: .computes(.boolean), secrets: .measures),
        "strflocaltime/1": MarkPolicy(unknowns: .computes(.text)),
        "strftime/1": MarkPolicy(unknowns: .computes(.text)),
        "strptime/1": MarkPolicy(unknowns: .computes(numbers)),
        "to_entries/0": MarkPolicy(unknowns: .moves(anything), secrets: .moves),
        "tobool/0": MarkPolicy(unknowns: .computes(.boolean), secrets: .measures),
        "toboolean/0": MarkPolicy(unknowns: .computes(.boolean), secrets: .measures),
        "tojson/0": MarkPolicy(unknowns: .computes(.text, fails: false)),
        "tonumber/0": MarkPolicy(unknowns: .computes(.number)),
        "transpose/0": MarkPolicy(unknowns: .moves(anything), secrets: .moves),
        "trim/0": MarkPolicy(unknowns: .computes(.text), secrets: .moves),
        "trimstr/1": MarkPolicy(unknowns: .moves(.any), secrets: .moves),
        "utf8bytelength/0": MarkPolicy(unknowns: .computes(.number), secrets: .measures),
        "_captures/0": MarkPolicy(unknowns: .moves(.object([:])), secrets: .moves),
    ]
}
