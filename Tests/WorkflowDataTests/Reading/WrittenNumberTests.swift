import Testing
import WorkflowData

@Suite struct `A written number` {
    @Test(
        arguments: [
            // What a double is written as needs no text of its own.
            ("12.5", nil), ("0.1", nil), ("0.0001", nil), ("1", nil), ("-0", nil), ("123456789012.345", nil),
            ("0.30000000000000004", nil), ("12345.678901234567", nil), ("18446744073709552", nil),
            ("1.0", "1.0"), ("-1.50", "-1.50"), ("0.00", "0.00"), ("0.00001", "0.00001"), ("0.0000001", "1E-7"),
            ("1e2", "1E+2"), ("1.5E-10", "1.5E-10"), ("150e-1", "15.0"), ("1e-2", nil), ("10e-3", "0.010"),
            ("1e0", nil),
            ("100000000000000000001", "100000000000000000001"), ("0.1000000000000000055", "0.1000000000000000055"),
            ("1e999999999", "1E+999999999"), ("10e999999999", nil), ("1e-1000000000", nil),
            ("1e99999999999999999999999", nil), ("-0.0", "-0.0"), ("1e-07", nil), ("-1e+300", nil),
            ("1.7976931348623157e+308", nil), ("00", nil),
        ] as [(String, String?)])
    func `is kept where its double is written otherwise`(_ text: String, _ written: String?) throws {
        guard let value = try? Value(json: text) else { return #expect(text == "00") }
        if case .double(_, let kept) = value {
            #expect(kept?.text == written)
        } else {
            #expect(written == nil)
        }
    }

    @Test(arguments: ["a: 1.10", "a: +1.10", "a: 001.10", "{\"a\": 1.10}"])
    func `is read from YAML as from JSON`(_ text: String) throws {
        #expect(try Document(text: text, name: "a.yaml").value.json() == #"{"a":1.10}"#)
    }

    @Test func `is itself when it is read again`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let digits = (0...Int.random(in: 0..<30, using: &generator)).map { _ in
                String(Int.random(in: 0...9, using: &generator))
            }
            let point = Int.random(in: 0...digits.count, using: &generator)
            let whole = String(digits[..<point].joined().drop { $0 == "0" })
            var text = (whole.isEmpty ? "0" : whole) + (point < digits.count ? "." + digits[point...].joined() : "")
            if Bool.random(using: &generator) { text += "e\(Int.random(in: -30...30, using: &generator))" }
            let value = try Value(json: text)
            let again = try Value(json: value.json())
            #expect(again == value && again.json() == value.json() && again.double == Double(text), "\(text)")
        }
    }

    @Test func `that was calculated is read back as it was`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let double = Double(bitPattern: .random(in: 0...UInt64.max, using: &generator))
            guard double.isFinite else { continue }
            for double in [double, double.rounded(), Double(Float(double)), double.significand / 1_000] {
                guard double.isFinite, Int(exactly: double) == nil else { continue }
                let text = Value.double(double).json()
                guard case .double(let read, nil) = try Value(json: text) else {
                    Issue.record("\(text)")
                    return
                }
                #expect(read == double)
            }
        }
    }

    @Test func `is compared by all its digits`() throws {
        let numbers = try Value(json: "[1.1000000000000000001, 1.1000000000000000002, 1.10, 1.1]").array ?? []
        #expect(numbers[0] != numbers[1])
        #expect(Set(numbers[0...1]).count == 2)
        #expect(numbers[2] == numbers[3])
        #expect(try Value(json: "9007199254740993.0") == 9_007_199_254_740_993)
        #expect(try Value(json: "9007199254740993.0") != 9_007_199_254_740_992)
        // What was calculated has no digits of its own.
        #expect(try Value(json: "9007199254740993.0") == .double(9_007_199_254_740_992))
    }

    @Test func `does not change a canonical form, which is that of a double`() throws {
        #expect(
            try Value(json: "[1.10, 1e2, 100000000000000000001]").canonicalJSON
                == Array("[1.1,100,100000000000000000000]".utf8))
    }
}
