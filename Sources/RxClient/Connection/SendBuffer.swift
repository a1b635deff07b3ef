internal import UnixSocket

/// Bytes that wait to be sent to a socket, first in first out.
struct SendBuffer {
    private var bytes: [UInt8] = []
    private var sent = 0

    var count: Int { bytes.count - sent }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ more: [UInt8]) {
        if isEmpty {
            bytes = more
            sent = 0
        } else {
            bytes.append(contentsOf: more)
        }
    }

    /// Sends as much as `socket` takes now.
    mutating func send(to socket: Socket) {
        while !isEmpty {
            let taken = bytes.withUnsafeBytes { socket.write(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
            guard taken > 0 else { break }
            sent += taken
        }
        // Moving the rest when half is sent keeps the cost per byte constant.
        if isEmpty {
            bytes.removeAll(keepingCapacity: true)
            sent = 0
        } else if sent > bytes.count / 2 {
            bytes.removeFirst(sent)
            sent = 0
        }
    }
}
