// libFuzzer's entry point: reading any bytes ends, and its result is consistent.
// scripts/fuzz-reading compiles it together with the sources, so that the fuzzer sees which lines are reached.
import Foundation

/// Reads one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReading(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let data = unsafe Data(bytes: start, count: count)
    checkDocument(data)
    checkJSON(data)
    return 0
}

private func checkDocument(_ data: Data) {
    do throws(ReadingError) {
        let document = try Document(data: data, name: "input")
        let text = document.value.json()
        check(again(text)?.json() == text, "what was written reads back as the same")
        // JSON is a part of YAML.
        let read = try Document(text: text, name: "output")
        check(read.value.json() == text, "JSON read as YAML is the same")
        checkPositions(document, document.value, .root)
        checkSchema(document.value)
    } catch {
        check(!error.diagnostics.isEmpty)
        for diagnostic in error.diagnostics { check(!diagnostic.text(colour: true).isEmpty) }
    }
}

private func checkJSON(_ data: Data) {
    guard let value = value(ofJSON: data) else { return }
    let text = value.json()
    check(again(text)?.json() == text, "JSON reads back as the same")
}

private func again(_ text: String) -> Value? { value(ofJSON: Data(text.utf8)) }

private func value(ofJSON data: Data) -> Value? {
    do throws(ReadingError) {
        return try Value(json: data)
    } catch {
        check(!error.description.isEmpty)
        return nil
    }
}

/// Every node has a place in the text, and so has every character of a text.
private func checkPositions(_ document: Document, _ value: Value, _ pointer: JSONPointer) {
    for part in [Document.Part.key, .value] {
        guard let range = document.range(of: pointer, part: part) else { return check(false, "a node has a place") }
        check(document.line(range.start.line) != nil, "a place is on a line")
    }
    switch value {
    case .array(let array):
        for (position, element) in array.enumerated().prefix(20) {
            checkPositions(document, element, pointer.appending(position))
        }
    case .object(let object):
        for (name, member) in object.prefix(20) { checkPositions(document, member, pointer.appending(name)) }
    case .string(let text):
        let last = text.unicodeScalars.count
        for offset in [0, last / 2, last, last + 1] {
            check(document.range(of: pointer, offset: offset) != nil, "a character has a place")
        }
    default: break
    }
}

/// Any value may be used as a schema.
private func checkSchema(_ value: Value) {
    do throws(JSONSchemaError) {
        let schema = try JSONSchema(value)
        check(schema.validate(value).isEmpty == schema.accepts(value), "deciding agrees with explaining")
    } catch {
        check(!error.message.isEmpty)
    }
}

/// Ends the program with the failed expectation, which an optimised precondition does not print.
private func check(_ holds: Bool, _ expectation: String = "a finding has words") {
    guard !holds else { return }
    FileHandle.standardError.write(Data("expected: \(expectation)\n".utf8))
    abort()
}
