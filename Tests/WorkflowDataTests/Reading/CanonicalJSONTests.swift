import Testing

@testable import WorkflowData

/// RFC 8785, JSON Canonicalization Scheme.
struct CanonicalJSONTests {
    private func canonical(_ value: Value) -> String { String(decoding: value.canonicalJSON, as: UTF8.self) }

    @Test func `the RFC's example, 3.2.2, is written as it says`() throws {
        let value = try Value(
            json: #"""
                {
                  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
                  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
                  "literals": [null, true, false]
                }
                """#)
        #expect(
            canonical(value)
                == #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#
                + #""string":"€$\u000f\nA'B\"\\\\\"/"}"#)
    }

    @Test func `names are sorted by UTF-16 code units, 3.2.3`() throws {
        let value = try Value(
            json: #"""
                {"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
                 "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"}
                """#)
        let order = [
            "Carriage Return", "One", "Control", "Latin Small Letter O With Diaeresis", "Euro Sign",
            "Emoji: Grinning Face", "Hebrew Letter Dalet With Dagesh",
        ]
        let written = try Value(json: canonical(value))
        #expect(written.object?.values.compactMap(\.string) == order)
        #expect(canonical(["a": 1, "": 2, "aa": 3, "\u{7F}": 4]) == "{\"\":2,\"a\":1,\"aa\":3,\"\u{7F}\":4}")
    }

    /// Appendix B, and the borders between the ways of writing a number.
    @Test(
        arguments: [
            (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"), (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"), (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"), (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"), (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"), (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"), (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"), (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"), (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"), (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"), (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] as [(UInt64, String)])
    func `a number is written as in ECMAScript`(bits: UInt64, expected: String) {
        #expect(canonical(.double(Double(bitPattern: bits))) == expected)
    }

    @Test(arguments: [(0, "0"), (-17, "-17"), (Int.max, "9223372036854775807"), (Int.min, "-9223372036854775808")])
    func `an integer keeps all its digits`(integer: Int, expected: String) {
        #expect(canonical(.integer(integer)) == expected)
    }

    @Test func `what is equal is written the same, however it was read`() throws {
        let texts = [#"{"b":[1.0,"é"],"a":1e2}"#, #"{ "a": 100, "b": [ 1, "\u00e9" ] }"#]
        #expect(Set(try texts.map { canonical(try Value(json: $0)) }) == [#"{"a":100,"b":[1,"é"]}"#])
    }

    @Test func `data without a number's value and deep data are written`() {
        #expect(canonical([.double(.nan), .double(.infinity)]) == "[null,1.7976931348623157e+308]")
        let deep = (0..<5_000).reduce(Value.null) { value, _ in .array([value]) }
        #expect(canonical(deep).count == 10_004)
    }
}
