import RxJSON
import Testing

/// Plays one transcript. The first line that does not hold ends it, and each wait has an end.
struct TranscriptPlayer {
    /// A line of the transcript that does not hold.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    private let transcript: Transcript
    private var peers: [String: any TestPeer] = [:]
    private var bindings = Bindings()
    /// The number of the last event of each connection's subscriptions.
    private var sequences: [String: [String: Int]] = [:]
    /// Checks the messages of each connection, in both directions, against the schemas of the protocol.
    private var checks: [String: MessageCheck] = [:]
    /// The line that is being played.
    private var line: Transcript.Line

    init(_ transcript: Transcript) {
        self.transcript = transcript
        bindings.allowsOthers = Transcript.foreignFolder != nil
        line = Transcript.Line(number: 0, connection: "", step: .endInput)
    }

    mutating func play(on server: TestServer, _ connect: () throws -> any TestPeer) async throws {
        for line in transcript.lines {
            self.line = line
            if case .act(.stop) = line.step {
                server.beginStopping()
                continue
            }
            let peer = try peers[line.connection] ?? connect()
            peers[line.connection] = peer
            switch line.step {
            case .send(let text): send(bindings.fill(text), to: peer)
            case .sendBytes(let bytes): send(bytes, to: peer)
            case .endInput: peer.endInput()
            case .receive(let pattern):
                let (text, value) = try await next(from: peer, pattern)
                guard let mismatch = bindings.mismatch(value, try RawJSON(validating: pattern).value()) else { break }
                throw fault("\(mismatch)\n  got  \(text)\n  want \(pattern)")
            case .receiveAtLast(let pattern): try await receiveAtLast(pattern, from: peer)
            case .receiveEnd:
                if let text = await peer.nextLine() { throw fault("expected the end\n  got  \(text)") }
                guard peer.isAtEnd else { throw fault("the connection is still open") }
            case .act(.stalls): peer.stall()
            case .act(.reads): peer.resume()
            case .act(.vanishes):
                peer.vanish()
                peers[line.connection] = nil
            case .act(.stop): break
            }
        }
        // What nobody expected is a fault too.
        for (name, peer) in peers.sorted(by: { $0.key < $1.key }) where !peer.isAtEnd {
            guard let text = peer.unread.first else { continue }
            throw fault("connection '\(name)' got more than expected\n  got  \(text)")
        }
    }

    /// Closes all peers, stalled ones included.
    func leave() {
        for peer in peers.values {
            peer.resume()
            peer.vanish()
        }
    }

    private mutating func send(_ line: String, to peer: any TestPeer) {
        send(Array((line + "\n").utf8), to: peer)
    }

    private mutating func send(_ bytes: [UInt8], to peer: any TestPeer) {
        checks[line.connection, default: MessageCheck()].send(String(decoding: bytes, as: UTF8.self))
        peer.send(bytes)
    }

    private mutating func receiveAtLast(_ pattern: String, from peer: any TestPeer) async throws {
        let wanted = try RawJSON(validating: pattern).value()
        while true {
            let (text, value) = try await next(from: peer, pattern)
            var bound = bindings
            if bound.mismatch(value, wanted) == nil {
                bindings = bound
                return
            }
            if value["params"]?["channel"] == "lag" {
                throw fault("a lag came first\n  got  \(text)\n  want \(pattern)")
            }
        }
    }

    private mutating func next(
        from peer: any TestPeer, _ pattern: String
    ) async throws -> (text: String, value: JSONValue) {
        guard let text = await peer.nextLine() else { throw fault("nothing came\n  want \(pattern)") }
        let value = try RawJSON(validating: text).value()
        try check(sequenceOf: value, text)
        let faults = try checks[line.connection, default: MessageCheck()].receive(value)
        guard faults.isEmpty else {
            throw fault("not as the protocol describes it: \(faults.joined(separator: "; "))\n  got  \(text)")
        }
        return (text, value)
    }

    private mutating func check(sequenceOf message: JSONValue, _ text: String) throws {
        guard let event = message["params"], let name = event["subscription"]?.string else { return }
        let sequence = sequences[line.connection]?[name, default: 0] ?? 0
        guard event["seq"]?.int == sequence + 1 else { throw fault("seq \(sequence + 1) is due\n  got  \(text)") }
        // The name is free again after the end.
        sequences[line.connection, default: [:]][name] = event["channel"] == "end" ? 0 : sequence + 1
    }

    private func fault(_ text: String) -> Fault { Fault(description: "\(transcript.name):\(line.number): \(text)") }
}
