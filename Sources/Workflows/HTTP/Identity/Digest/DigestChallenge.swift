/// A server's challenge for digest authentication.
///
/// Specification: RFC 7616, section 3.3.
struct DigestChallenge: Sendable, Hashable {
    enum Algorithm: String, CaseIterable, Sendable {
        case sha256Session = "SHA-256-SESS"
        case sha256 = "SHA-256"
        case md5Session = "MD5-SESS"
        case md5 = "MD5"

        var isSession: Bool { self == .sha256Session || self == .md5Session }

        var rank: Int { self == .sha256 || self == .sha256Session ? 0 : 1 }

        func hex(_ text: String) -> String {
            rank == 0 ? SHA256.hex(of: Data(text.utf8)) : MD5.hex(of: Data(text.utf8))
        }
    }

    let algorithm: Algorithm
    let writtenAlgorithm: String?
    let realm: String
    let nonce: String
    let opaque: String?
    /// `auth` or `auth-int`; nil for a server that supports neither.
    let protection: String?
    let isStale: Bool
    let hashesUserName: Bool

    init?(in headers: HTTPHeaders) {
        let known = HTTPChallenge.challenges(in: headers.values(of: "WWW-Authenticate")).compactMap {
            DigestChallenge($0)
        }
        guard let best = known.first(where: { $0.algorithm.rank == 0 }) ?? known.first else { return nil }
        self = best
    }

    private init?(_ challenge: HTTPChallenge) {
        let parameters = challenge.parameters
        guard challenge.scheme == "digest", let realm = parameters["realm"], let nonce = parameters["nonce"] else {
            return nil
        }
        writtenAlgorithm = parameters["algorithm"]
        guard let algorithm = Algorithm(rawValue: (writtenAlgorithm ?? "MD5").uppercased()) else { return nil }
        let offered = parameters["qop"].map {
            $0.split(whereSeparator: { $0 == "," || $0 == " " }).map { $0.lowercased() }
        }
        let protection = offered.flatMap { offered in ["auth", "auth-int"].first(where: offered.contains) }
        guard offered == nil || protection != nil else { return nil }
        self.algorithm = algorithm
        self.realm = realm
        self.nonce = nonce
        self.protection = protection
        opaque = parameters["opaque"]
        isStale = parameters["stale"]?.lowercased() == "true"
        hashesUserName = parameters["userhash"]?.lowercased() == "true"
    }
}
