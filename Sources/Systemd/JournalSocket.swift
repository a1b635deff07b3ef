import CSystemd
import Glibc
import Synchronization

/// The connection to the journal. Thread-safe. No call waits long, even if the journal hangs.
final class JournalSocket: Sendable {
    static let standardPath = "/run/systemd/journal/socket"
    /// How many milliseconds a record may wait for a busy journal: enough to slow a flood of records, too short to
    /// notice. After a failed wait, no record waits until the journal accepts one again.
    static let patienceMilliseconds: Int32 = 20

    enum Outcome: Equatable {
        case taken
        /// The journal exists but accepts nothing; the record is lost and counted.
        case lost
        /// There is no journal.
        case absent
    }

    private let socket: DatagramSocket
    private let isStuck = Atomic<Bool>(false)
    private let lostRecords = Atomic<Int>(0)

    /// Returns nil if nothing listens at `path`.
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

    /// Returns 0 or an errno.
    private func transmit(_ record: JournalRecord) -> Int32 {
        let error = attempt(record)
        switch error {
        case EAGAIN where !isStuck.load(ordering: .relaxed):
            var wait = pollfd(fd: socket.fileDescriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&wait, 1, Self.patienceMilliseconds) > 0 else { return EAGAIN }
            return attempt(record)
        case ECONNREFUSED, ECONNRESET, ENOTCONN, EPIPE, EDESTADDRREQ:
            // A restarted journal has a new socket at the same path.
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

    /// Logs the number of lost records as soon as the journal accepts one again.
    private func reportLost() {
        guard lostRecords.load(ordering: .relaxed) > 0 else { return }
        let count = lostRecords.exchange(0, ordering: .relaxed)
        guard count > 0 else { return }
        let message = "\(count) log records were lost: the journal did not take them"
        let record = JournalRecord(message, priority: 4, lost: count)
        if transmit(record) != 0 { lostRecords.add(count, ordering: .relaxed) }
    }
}
