import Essentials

@testable import WorkflowHTTP

/// A key made for these tests, which nothing else uses.
enum ApprovalFixture {
    static let id = "test-key"
    static let publicKey: Value = [
        "kty": "RSA", "use": "sig", "kid": .string(id), "e": "AQAB", "n": .string(modulus),
    ]

    static let key = Result { () throws(SystemError) in
        try RSAKey(der: Data(base64Encoded: encoded) ?? Data(), try CryptoLibrary.system.get())
    }

    private static let modulus =
        "ogew7TY-"
        + "8_TKQddKHDDnE1XoRg49lDsNRq1m0qDziULs99OyXHzyHxT4SqdfuOILW46xw7XpO3gc4g8QrRuPSTeZddho3FJDUarUDSxB"
        + "WDm9IDP0yKywMm6-cerZvqhiiDwMSRcsj4yy33ce72o0jbusaIiqXo-QPW2Rw6srcAknq3bj7NUc7qJ4wjhUG4eWMMxV42yB"
        + "WKo10IJ6sQ8SdYdIPpXyUCqWn46Bvoz4L35ia-b0h7IR-"
        + "u2ppPs9k9bdZVhsTFZMT8MaKzAREr7QCwWqAtQhLHD5XA3bOAmObzTLWQXfsHZHh09TzGpAEXyQKxxM96qFhe8tzgjUTvZpx"
        + "Q"
    /// PKCS #8.
    private static let encoded =
        "MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCiB7DtNj7z9MpB10ocMOcTVehGDj2UOw1GrWbSoPOJQuz3"
        + "07JcfPIfFPhKp1+44gtbjrHDtek7eBziDxCtG49JN5l12GjcUkNRqtQNLEFYOb0gM/TIrLAybr5x6tm+qGKIPAxJFyyPjLLf"
        + "dx7vajSNu6xoiKpej5A9bZHDqytwCSerduPs1RzuonjCOFQbh5YwzFXjbIFYqjXQgnqxDxJ1h0g+lfJQKpafjoG+jPgvfmJr"
        + "5vSHshH67amk+z2T1t1lWGxMVkxPwxorMBESvtALBaoC1CEscPlcDds4CY5vNMtZBd+wdkeHT1PMakARfJArHEz3qoWF7y3O"
        + "CNRO9mnFAgMBAAECggEACl7xJ2G9OkqtBnVT+EV2COILBa7kKKB1+1PefLVSGTNILR2m8S4LJkumj8qyQQhw3ymdPbBfTw/j"
        + "U2HQ+K+GppJRN36ESbPXPLsxKu2t+gpqDU1eCdkpxvSZKnv0d3RaKCulwqjh0IdaLJz4hSz4U6kTQjabJwXL3u6sMYi7dUZ6"
        + "prGgXE7+HcqRlgwgH/uK5bCFWC0v21zXAFxPop19eaNFlpPyRlduKHNmd+Nd4zaSVWsaUocJNaG2ugOQYcaRBVAbn69eUX4z"
        + "hZj/1PfSuNYoNahEyyTXv/ElPAvBQro/2PJkYo+enSGLfdzu1U3m3UqQSlWF8WldLQUYfes+yQKBgQDSCnV0XCfNtj11Jo+/"
        + "2Np9qaSXimh+QSSkLjS9e0mIcyCnT0W7mSLr31vSyYxQWB2aPNWQmlSo3CEuSiXGoCeOcUhXgV280JHtH5zoKY3vnDRXcBKv"
        + "Pmqxxh3mymZDSjkCqfz5b1mbXRVuG/EtkgZp1+k+WgXmCed6qrtyQIZVPQKBgQDFe+IcCT+CGdK8YWizvqFiuYJHCjXivmCb"
        + "65xMaxZ5DQUjBs6oqx3pdwlLsQq9MkxJ6olfjkKmfVojVmwLQuc1NOXeVmBLNtdm4dR2+9syM5jC7FEIghJequwdTkj3uCdO"
        + "28jgF+MJGKfNZ9KqZiaakqSkR5LQ88PMzrsBS2f/KQKBgB0G5v6CsdmDAvFKt/j6Xg+Zvy5WKWSxWf/6hr1c6WebCXs1wFxR"
        + "qHrSbl0uD18XHlgvahBG08ZWTZuZEalmfrD3xNia/zpV1KThhoyrGXtwqecfjOV9Cb+xsnYvqHxKKKDOnzBVjBulfI2v/N+g"
        + "W5SLCyfbxw7odX4FVExQ0H+9AoGAOEVOblKsR/P3ujm/Tcg50Bmv53IfXJaGjKccCCJTavasygg8ho8LnOSQP4MY3kQgvMcZ"
        + "kaLFlw8Myhjr/GF55A1ImoveMFBWHDipA6ZMFQfitVgE1vnJJjRpxwfxfrR4bt3tZP0pcgQWfE7jFi65PT4fr7e9O9DZr9gQ"
        + "LRRBc9ECgYB/IDFDknEtl7LIzz6bToc9rpaqj3l8rEfaEGSh4woSEvU1673ECRtqbEoviX1/iPCBvqKVau6PAz3RfHFYzcdf"
        + "tA1ary6WINgpqngzIdCE2pz4Wj4qJDOVyMmQ0gg0VKXKxktEkbMzUyE7I73ZtW3pJpjzIcLXIuBnCQL4Sm47EQ=="
}
