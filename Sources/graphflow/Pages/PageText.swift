/// Parts of pages, escaped: nothing from outside becomes markup.
enum PageText {
    /// JSON for a `script` element: no character in it can end the element or begin another one.
    static func script(_ value: Value) -> String {
        var bytes: [UInt8] = []
        let json = Array(value.json().utf8)
        bytes.reserveCapacity(json.count + json.count / 8)
        for byte in json {
            switch byte {
            // JSON has these only inside strings.
            case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
                bytes += "\\u00\(String(byte, radix: 16))".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The content security policy of a page that has one script and one style sheet inside it and loads nothing.
    /// - Parameter connects: Whether the script may request data from the page's own server.
    static func policy(script: String, style: String, connects: Bool = false) -> String {
        func hash(_ text: String) -> String {
            "'sha256-\(Data(SHA256.hash(of: Data(text.utf8))).base64EncodedString())'"
        }
        return "default-src 'none'; script-src \(hash(script)); style-src \(hash(style)); "
            + (connects ? "connect-src 'self'; " : "") + "base-uri 'none'; form-action 'none'"
    }

    /// A page that loads nothing, in which characters that control a terminal or turn text around are escaped as in JSON.
    /// - Parameters:
    ///   - title: The title, escaped.
    ///   - body: The body's content.
    static func document(_ title: String, policy: String, style: String, _ body: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="\(policy)">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="referrer" content="no-referrer">
        <title>\(title)</title>
        <style>\(style)</style>
        </head>
        <body>
        \(body)
        </body>
        </html>

        """.escapingControls
    }

    /// Escapes text from a file or a service for HTML.
    static func text(_ text: String, keepingLines: Bool = false) -> String {
        PlainText.escaped(text, keepingLines: keepingLines).htmlEscaped
    }

    static func section(_ title: String, _ content: String) -> String {
        "<section><h2>\(text(title))</h2>\n\(content)\n</section>"
    }

    /// A table below its titles.
    /// - Parameters:
    ///   - rows: The cells, escaped.
    ///   - isTitled: Whether each cell has its title on a narrow screen, where the titles above have no place.
    static func table(_ titles: [String], _ rows: [[String]], isTitled: Bool = false) -> String {
        let rows = rows.map { row in
            let cells = zip(titles, row).map { "<td\(isTitled ? " data-title=\"\($0)\"" : "")>\($1)</td>" }
            return "<tr>\(cells.joined())</tr>"
        }
        return "<table><thead><tr>\(titles.map { "<th>\($0)</th>" }.joined())</tr></thead><tbody>\n"
            + rows.joined(separator: "\n") + "\n</tbody></table>"
    }

    /// Everybody whom effects concern, as a section; nil if there is no one.
    /// - Parameter words: The words for the effect of a number.
    static func people(_ effects: [Effect], _ words: (Int) -> String) -> String? {
        let people = AffectedPerson.all(in: effects)
        guard !people.isEmpty else { return nil }
        let rows = people.prefix(mostPeople).map { person in
            var what = person.effects.prefix(mostOfPerson).map { text(words($0)) }
            if person.effects.count > what.count { what.append("and \(person.effects.count - what.count) more") }
            return [
                text(person.name), person.isExternal ? "<span class=\"error\">outside</span>" : "",
                what.joined(separator: "<br>"),
            ]
        }
        let more = people.count - rows.count
        let hint = more > 0 ? "\n<p class=\"hint\">… and \(more) more people</p>" : ""
        return section("By person", table(["Person", "Where", "What"], rows) + hint)
    }

    private static let (mostPeople, mostOfPerson) = (2_000, 100)

    /// Names and values.
    static func facts(_ facts: [(name: String, words: String)]) -> String {
        let all = facts.map { "<div><dt>\(text($0.name))</dt><dd>\(text($0.words))</dd></div>" }
        return "<dl class=\"facts\">\(all.joined())</dl>"
    }

    /// Counts as an HTML list.
    static func totals(_ counts: [(number: String, what: String)]) -> String {
        let items = counts.map { "<li><b>\(text($0.number))</b>\(text($0.what))</li>" }
        return "<ul class=\"totals\">\(items.joined())</ul>"
    }

    /// A text, cut if it is long.
    static func cut(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        return PlainText.cut(text, to: limit) + " (\(text.utf8.count.byteText) in all)"
    }
}

extension Value {
    /// The data with long texts cut.
    func cut(to limit: Int) -> Value {
        switch self {
        case .string(let text): .string(PageText.cut(text, to: limit))
        case .array(let elements): .array(elements.map { $0.cut(to: limit) })
        case .object(let members): .object(members.mapValues { $0.cut(to: limit) })
        case .null, .bool, .integer, .double, .marked: self
        }
    }
}

extension Date {
    /// The time on this machine's clocks, with what they are ahead of UTC: `2026-11-29 20:15:00+01:00`.
    var local: String {
        // Foundation's own time zone of the machine needs ICU.
        let ahead = ((try? SystemTimeZone.current) ?? .utc).secondsFromUTC(at: self)
        let zone = TimeZone(secondsFromGMT: ahead) ?? .gmt
        return formatted(ISO8601FormatStyle(dateTimeSeparator: .space, timeZoneSeparator: .colon, timeZone: zone))
    }
}
