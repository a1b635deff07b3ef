import Glibc
import RxJSON
import Synchronization

/// A script that answers as a transcript does: `-->` names a request by its method, and by the action it is about as
/// `target`; the lines `<--` below it are sent when such a request comes, with `"$id"` and `$stream` as the client has
/// them.
enum FutureDaemon {
    struct Exchange: Sendable {
        let method: String
        let target: String?
        var lines: [String] = []
    }

    static let exchanges: [Exchange] = {
        var exchanges: [Exchange] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("-->") {
                guard let request = try? RawJSON(validating: String(line.dropFirst(3))).value() else {
                    fatalError("no JSON: \(line)")
                }
                exchanges.append(
                    Exchange(method: request["method"]?.string ?? "", target: request["target"]?.string))
            } else if line.hasPrefix("<--") {
                exchanges[exchanges.count - 1].lines.append(String(line.dropFirst(3)))
            }
        }
        return exchanges
    }()

    /// Fails the connection for what is not in the transcript, so that a client cannot pass by asking something else.
    static func script(_ request: FakeDaemon.Request, _ peer: FakeDaemon.Peer) {
        let target = request.params["action"]?.string
        guard
            let exchange = exchanges.first(where: {
                $0.method == request.method && ($0.target == nil || $0.target == target)
            })
        else {
            if request.method != "unsubscribe" { peer.close() }
            return
        }
        for line in exchange.lines {
            peer.send(
                line.replacing(#""$id""#, with: request.id).replacing("$stream", with: request.stream))
        }
    }

    private static let text: String = {
        let own = #filePath
        let path =
            own.prefix(through: own.lastIndex(of: "/")!) + "../RxClientTests/Transcripts/future.transcript"
        guard let file = fopen(String(path), "r") else { fatalError("no transcript at \(path)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }()
}
