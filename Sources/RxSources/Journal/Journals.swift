public import RxLoop
public import RxPlatform

// Sendable: the mutable state belongs to the queue.
/// The journals that the streams of a daemon read: one open journal for each, up to a limit.
public final class Journals: @unchecked Sendable {
    /// The most journals open at once. Each needs one of the 128 inotify instances that a user has, and maps the files
    /// of the journal.
    public static let most = 32

    /// Reading waits for the disk, so it has a queue of its own.
    let queue: WorkQueue
    let system: any JournalSystem
    let own: OwnRecords
    let clock: WallClock
    private var open = 0
    private var waiting: [JournalSource] = []

    /// The journal of the machine. Opens nothing.
    ///
    /// - Parameters:
    ///   - loop: waits for new records; it must run as long as a stream reads the journal.
    ///   - own: the records that no stream gets.
    public convenience init(loop: EventLoop, platform: Platform, own: OwnRecords) {
        self.init(SdJournalSystem(loop: loop), platform: platform, own: own)
    }

    init(_ system: any JournalSystem, platform: Platform, own: OwnRecords) {
        self.system = system
        self.own = own
        clock = platform.wallClock
        queue = platform.queues.serial("rxd.journal")
    }

    /// Takes a place for an open journal. Without one, the source is called back when there is one. On the queue only.
    func takePlace(for source: JournalSource) -> Bool {
        guard open < Self.most else {
            waiting.append(source)
            return false
        }
        open += 1
        return true
    }

    /// Gives a place back, to the source that has waited longest. On the queue only.
    func givePlaceBack() {
        guard !waiting.isEmpty else {
            open -= 1
            return
        }
        waiting.removeFirst().gotPlace()
    }

    /// The source no longer waits for a place. On the queue only.
    func forget(_ source: JournalSource) { waiting.removeAll { $0 === source } }
}
