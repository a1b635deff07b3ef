import JSONRPC
import RxJSON
import RxProtocol
import TestSupport
import Testing

@testable import rxctl

/// A daemon of another release that refuses something which this release knows.
@Suite(.ownThreads(limit: .seconds(120)))
struct VersionSkewTests {
    private static func hello(_ version: String, speaking number: Int = 1) -> String {
        #"{"server":{"name":"rxd","version":"\#(version)"},"protocol":\#(number),"features":[]}"#
    }

    /// A daemon that answers `server.hello` with `hello`, and closes the connection if it is nil; it refuses all else.
    private func withDaemon(
        hello: String?, refusing code: Int, _ name: String, _ facts: String, _ body: (FakeDaemon) async throws -> Void
    ) async throws {
        try await withFakeDaemon(
            { request, peer in
                guard request.method == "server.hello" else { return peer.refuse(request, code, name, facts) }
                if let hello { peer.answer(request, hello) } else { peer.close() }
            }, body)
    }

    @Test("a missing method is one line with both versions; the exit code stays")
    func method() async throws {
        let facts = #","method":"server.status""#
        try await withDaemon(
            hello: VersionSkewTests.hello("0.0.9"), refusing: -32601, "methodNotFound", facts
        ) { daemon in
            let people = await bash("rxctl status 2>&1", socket: daemon.path) { $0.output.contains("0.0.9") }
            #expect(
                people.lines == [
                    "rxctl: rxd 0.0.9 does not support the method server.status, and rxctl is "
                        + "\(ReleaseVersion.current); install the same release of both and restart rxd"
                ])
            #expect(people.status == 5)
            let json = try RawJSON(
                validating: await bash("rxctl status --json 2>&1", socket: daemon.path) {
                    $0.output.contains("0.0.9")
                }.output
            ).value()
            #expect(json["code"] == -32601)
            #expect(json["data"]?["name"] == "methodNotFound")
            #expect(json["data"]?["rxd"] == "0.0.9")
            #expect(json["data"]?["rxctl"]?.string == ReleaseVersion.current)
        }
    }

    @Test("a parameter that an older daemon does not know is named; other refused params cost no extra request")
    func parameter() async throws {
        let unknown = #","errors":[{"path":"/patch","message":"no such parameter"}]"#
        try await withDaemon(
            hello: VersionSkewTests.hello("0.0.9"), refusing: -32602, "invalidParams", unknown
        ) { daemon in
            let result = await bash("rxctl subscribe a --patch 2>&1", socket: daemon.path) {
                $0.output.contains("0.0.9")
            }
            #expect(result.lines.count == 1)
            #expect(result.output.hasPrefix("rxctl: rxd 0.0.9 does not support the parameter patch, and rxctl is "))
            #expect(result.status == 2)
        }
        let faulty = #","errors":[{"path":"/input","message":"must be a number"}]"#
        try await withDaemon(
            hello: VersionSkewTests.hello("0.0.9"), refusing: -32602, "invalidParams", faulty
        ) { daemon in
            let result = await bash("rxctl check a x=1 2>&1", socket: daemon.path)
            #expect(result.lines == ["rxctl: /input: must be a number (invalidParams)"])
            #expect(daemon.requests.map(\.method) == ["action.check"])
        }
    }

    @Test("between equal releases, or without an answer, the refusal is printed as it came")
    func noSkew() async throws {
        for hello in [VersionSkewTests.hello(ReleaseVersion.current), "{}", nil] {
            try await withDaemon(hello: hello, refusing: -32601, "methodNotFound", "") { daemon in
                let result = await bash("rxctl call no.such 2>&1", socket: daemon.path)
                #expect(result.lines == ["rxctl: no: methodNotFound (methodNotFound)"], "\(hello ?? "closed")")
                #expect(result.status == 5)
            }
        }
    }

    @Test("another protocol is a skew too, and is named; a missing feature is named")
    func protocols() throws {
        let value = try RawJSON(validating: VersionSkewTests.hello("9.0.0", speaking: 2)).value()
        let skew = try #require(VersionSkew(hello: value, release: "0.1.0"))
        let missing = RPCError(
            code: ErrorCode.featureMissing.rawValue, message: "a required feature is missing",
            data: RawJSON(["name": "featureMissing", "missing": ["history", "from"]]))
        #expect(
            skew.explaining(missing).message
                == "rxd 9.0.0, protocol rx/2, does not support the feature history, from, and rxctl is 0.1.0; "
                + "install the same release of both and restart rxd")
        let same = try RawJSON(validating: VersionSkewTests.hello("0.1.0")).value()
        #expect(VersionSkew(hello: same, release: "0.1.0") == nil)
    }
}
