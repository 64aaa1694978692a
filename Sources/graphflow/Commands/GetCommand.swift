import Essentials
import Promises
import Workflows

/// `graphflow get`: sends one authenticated GET and prints the answer.
struct GetCommand: Command {
    static let name = "get"
    static let summary = "Send one GET to Microsoft Graph and print the answer."
    static let operands = "PATH"
    static let discussion = """
        PATH follows the service's address, such as '/me/messages?$top=5'; quote it, because '$' and '&' are special in
        shells. JSON is printed as JSON, everything else unchanged. Contents of files, whose paths end with '/content' or
        '/$value', may have 10 GB; of more than 64 MB they go through a temporary file, and are printed unchanged.
        """
    static let options =
        [Option(name: "all", help: "Follow all pages of a list, and print them as one."), AnswerOption.option]
        + SignInArguments.options

    private let arguments: SignInArguments
    private let path: String
    private let isAll: Bool
    private let largestAnswer: Int?

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        path = try arguments.operand("PATH", hint: "graphflow get '/me/messages?$top=5'")
        self.arguments = try SignInArguments(arguments)
        isAll = arguments.has("all")
        largestAnswer = try AnswerOption.size(arguments)
    }

    func run(on console: Console) async throws -> ExitStatus {
        let graph = try arguments.access(console).graph.acceptingAnswers(upTo: largestAnswer)
        _ = try graph.address(of: path)
        if isAll {
            console.print(["value": .array(try await graph.getAll(path).value)])
            return .success
        }
        let answer = try await graph.get(path, upTo: largestAnswer).value
        if answer.file == nil, let value = try? Value(json: answer.body) {
            console.print(value)
        } else if console.outputIsTerminal, answer.bodySize > 0 {
            let type = PlainText.line(answer.headers["Content-Type"] ?? "bytes", limit: 100)
            console.complain("The answer is \(type), \(answer.bodySize) bytes: redirect it to a file with '>'.")
        } else if let file = answer.file {
            try Self.print(file, on: console)
        } else {
            console.print(answer.body)
        }
        return .success
    }

    private static func print(_ file: FilePart, on console: Console) throws {
        let reader = try file.open()
        var offset = 0
        while offset < file.size {
            let piece = try reader.piece(from: offset)
            console.print(Data(piece))
            offset += piece.count
        }
    }
}
