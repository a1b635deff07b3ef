import CSystemd
import Glibc
import Synchronization

/// The way into the journal. Any thread may use it; nobody waits long, not even for a journal that hangs.
final class JournalSocket: Sendable {
    static let standardPath = "/run/systemd/journal/socket"
    /// How long one record may wait for a journal that is behind, in milliseconds: enough to slow a flood of records down
    /// to the journal's pace, too short to be felt. Once it was in vain, no record waits until the journal takes one again.
    static let patienceMilliseconds: Int32 = 20

    enum Outcome: Equatable {
        case taken
        /// The journal is there but takes nothing: the record is lost, and counted.
        case lost
        /// There is no journal.
        case absent
    }

    private let socket: DatagramSocket
    private let isStuck = Atomic<Bool>(false)
    private let lostRecords = Atomic<Int>(0)

    /// Nil where nothing listens at `path`.
    init?(path: String = standardPath) {
        guard let socket = DatagramSocket(path: path), socket.connect() == 0 else { return nil }
        self.socket = socket
    }

    func send(_ record: JournalRecord) -> Outcome {
        switch transmit(record) {
        case 0:
            isStuck.store(false, ordering: .relaxed)
            reportLost()
            return .taken
        case EAGAIN, ENOBUFS, ENOMEM, EMFILE, ENFILE:
            isStuck.store(true, ordering: .relaxed)
            lostRecords.add(1, ordering: .relaxed)
            return .lost
        default:
            return .absent
        }
    }

    /// 0 or an errno.
    private func transmit(_ record: JournalRecord) -> Int32 {
        let error = attempt(record)
        switch error {
        case EAGAIN where !isStuck.load(ordering: .relaxed):
            var wait = pollfd(fd: socket.fileDescriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&wait, 1, Self.patienceMilliseconds) > 0 else { return EAGAIN }
            return attempt(record)
        case ECONNREFUSED, ECONNRESET, ENOTCONN, EPIPE, EDESTADDRREQ:
            // A journal that was started anew has a new socket at the old path.
            let failure = socket.connect()
            return failure == 0 ? attempt(record) : failure
        default:
            return error
        }
    }

    private func attempt(_ record: JournalRecord) -> Int32 {
        record.bytes.withUnsafeBytes { bytes in
            while true {
                let error = -csystemd_send_record(socket.fileDescriptor, bytes.baseAddress, bytes.count)
                if error != EINTR { return error }
            }
        }
    }

    /// Says how many records are missing as soon as the journal takes one again.
    private func reportLost() {
        guard lostRecords.load(ordering: .relaxed) > 0 else { return }
        let count = lostRecords.exchange(0, ordering: .relaxed)
        guard count > 0 else { return }
        var record = JournalRecord()
        record.append("MESSAGE", "\(count) log records were lost: the journal did not take them")
        record.append("PRIORITY", "4")
        record.append(metadata: "lost-records", "\(count)")
        if transmit(record) != 0 { lostRecords.add(count, ordering: .relaxed) }
    }
}
