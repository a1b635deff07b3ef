import Glibc
import RxJSON
import Synchronization
import TestSupport
import Testing

@testable import rxctl

/// `execute --each` against a daemon that answers as each test wants: losses of connections and their repair.
@Suite(.ownThreads(limit: .seconds(120)))
struct EachCommandTests {
    /// Calls `script` with the number of each `action.execute`, from 1; other requests are answered with `other`.
    private func withDaemon(
        other: @escaping @Sendable (FakeDaemon.Request, FakeDaemon.Peer) -> Void,
        _ script: @escaping @Sendable (Int, FakeDaemon.Request, FakeDaemon.Peer) -> Void,
        _ body: (FakeDaemon) async throws -> Void
    ) async throws {
        let count = Mutex(0)
        try await withFakeDaemon(
            { request, peer in
                guard request.method == "action.execute" else { return other(request, peer) }
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                script(number, request, peer)
            }, body)
    }

    private func withDaemon(
        _ script: @escaping @Sendable (Int, FakeDaemon.Request, FakeDaemon.Peer) -> Void,
        _ body: (FakeDaemon) async throws -> Void
    ) async throws {
        try await withDaemon(other: { $1.answer($0, "{}") }, script, body)
    }

    private func keys(_ daemon: FakeDaemon) -> [String] {
        daemon.requests.filter { $0.method == "action.execute" }.map { $0.params["key"]?.string ?? "" }
    }

    @Test("a connection lost in the middle: the same key is sent again, and each element is printed once")
    func lost() async throws {
        try await withDaemon { number, request, peer in
            peer.accept(request)
            for element in 1...(number == 1 ? 2 : 4) { peer.element(request, element, "\(element)") }
            if number == 1 { return peer.close() }
            peer.end(request.stream, 5)
        } _: { daemon in
            let result = await bash("echo 1 | rxctl execute a --each 2>/dev/null", socket: daemon.path)
            #expect(result.lines == ["1", "2", "3", "4"])
            #expect(result.status == 0)
            #expect(keys(daemon).count == 2 && Set(keys(daemon)).count == 1)
        }
    }

    @Test("elements that the daemon no longer has come from the kept output, before those that follow")
    func kept() async throws {
        try await withDaemon(
            other: { request, peer in
                peer.answer(
                    request,
                    request.method == "execution.output"
                        ? #"{"kept":true,"output":[{"elements":["b"]},{"missing":{"stream":"elements","elements":1}}]}"#
                        : "{}")
            }
        ) { number, request, peer in
            peer.accept(request)
            guard number > 1 else {
                peer.element(request, 1, "\"a\"")
                return peer.close()
            }
            peer.event(request.stream, 1, #""channel":"lag","value":{"dropped":3}"#)
            peer.element(request, 2, "\"d\"")
            peer.end(request.stream, 3)
        } _: { daemon in
            let result = await bash("echo 1 | rxctl execute a --each --json 2>/dev/null", socket: daemon.path)
            let records = try result.lines.map { try RawJSON(validating: $0).value() }
            let told = records.map { $0["value"]?.string ?? $0["lost"]?.int.map { "-\($0)" } ?? "" }
            #expect(told == ["a", "b", "-1", "d", ""])
            #expect(records.last?["completed"] == true)
            let output = daemon.requests.first { $0.method == "execution.output" }
            #expect(output?.params["elements"] == 1)
        }
    }

    @Test("what the daemon's end cut short is executed again, with another key, if the action has `retry`")
    func cut() async throws {
        for retry in ["null", #"{"attempts":2}"#] {
            try await withDaemon(other: { $1.answer($0, #"{"action":"a","retry":\#(retry)}"#) }) {
                number, request, peer in
                peer.accept(request)
                guard number == 1 else { return peer.end(request.stream, 1) }
                peer.event(
                    request.stream, 1,
                    #""channel":"errors","error":{"code":-32001,"message":"the daemon was gone","#
                        + #""data":{"name":"workFailed","cause":"interrupted"}}"#)
                peer.event(request.stream, 2, #""channel":"end","value":{"reason":"failed"}"#)
            } _: { daemon in
                let result = await bash("echo 1 | rxctl execute a --each --json 2>/dev/null", socket: daemon.path)
                let records = try result.lines.map { try RawJSON(validating: $0).value() }
                let isRepeated = retry != "null"
                #expect(result.status == (isRepeated ? 0 : 1))
                let told = records.map { $0["completed"] ?? $0["error"]?["data"]?["cause"] }
                #expect(told == [isRepeated ? true : "interrupted"])
                #expect(Set(keys(daemon)).count == (isRepeated ? 2 : 1))
                // A key that was given is the key of one execution.
                let given = await bash("echo 1 | rxctl execute a --each --key k >/dev/null 2>&1", socket: daemon.path)
                #expect(given.status == 0)
            }
        }
    }

    @Test("work that ends the daemon again and again is not executed for ever")
    func deadly() async throws {
        try await withDaemon(other: { $1.answer($0, #"{"retry":{"attempts":2}}"#) }) { _, request, peer in
            peer.accept(request)
            peer.event(
                request.stream, 1,
                #""channel":"errors","error":{"code":-32001,"message":"","#
                    + #""data":{"name":"workFailed","cause":"interrupted"}}"#)
            peer.event(request.stream, 2, #""channel":"end","value":{"reason":"failed"}"#)
        } _: { daemon in
            let result = await bash("echo 1 | rxctl execute a --each >/dev/null 2>&1", socket: daemon.path)
            #expect(result.status == 1)
            #expect(keys(daemon).count == 4)
        }
    }

    @Test("when the daemon's limit of keys is reached, the run goes on without them, and reports that once")
    func noKeys() async throws {
        try await withDaemon { _, request, peer in
            guard request.params["key"] == nil else {
                return peer.refuse(request, -32008, "limitReached", #","limit":"keysPerUid","value":1"#)
            }
            peer.accept(request)
            peer.end(request.stream, 1)
        } _: { daemon in
            let result = await bash("seq 3 | rxctl execute a --each 2>&1", socket: daemon.path)
            #expect(result.lines.count == 1)
            #expect(result.lines.first?.contains("limit of keys (keysPerUid) is reached") == true)
            #expect(result.status == 0)
            #expect(keys(daemon).map(\.isEmpty) == [false, true, true, true])
        }
    }

    @Test("with a job log the keys are promised: a line is held back until there is room, with the same key")
    func keysOfJobLog() async throws {
        try await withDaemon { number, request, peer in
            guard number > 3 else {
                return peer.refuse(request, -32008, "limitReached", #","limit":"keysPerUid","value":1"#)
            }
            peer.accept(request)
            peer.end(request.stream, 1)
        } _: { daemon in
            let result = await bash(
                "dir=$(mktemp -d); echo 1 | rxctl execute a --each --resume $dir/log; echo $?; rm -r $dir",
                socket: daemon.path)
            #expect(result.lines == ["0"])
            #expect(keys(daemon).count == 4 && Set(keys(daemon)).count == 1)
        }
    }

    @Test("each line of output has its tag, also within a string that has several")
    func tagged() async throws {
        try await withDaemon { _, request, peer in
            peer.accept(request)
            peer.element(request, 1, #""x\ny""#)
            peer.end(request.stream, 2)
        } _: { daemon in
            let raw = await bash(#"echo ' "i"' | rxctl execute a --each --tag --raw"#, socket: daemon.path)
            #expect(raw.lines == ["i\tx", "i\ty"])
            let plain = await bash(#"echo ' {"a": 1} ' | rxctl execute a --each --tag"#, socket: daemon.path)
            #expect(plain.lines == [#"{"a": 1}"# + "\t" + #""x\ny""#])
        }
    }
}

extension FakeDaemon.Peer {
    fileprivate func accept(_ request: FakeDaemon.Request) {
        answer(request, #"{"execution":"E","disposition":"started","subscription":"\#(request.stream)"}"#)
    }

    fileprivate func element(_ request: FakeDaemon.Request, _ sequence: Int, _ value: String) {
        event(request.stream, sequence, #""channel":"elements","value":\#(value)"#)
    }
}
