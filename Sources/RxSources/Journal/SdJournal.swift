internal import CSystemd
internal import Glibc
internal import RxJSON
internal import RxLoop
internal import RxPlatform

// Sendable: everything belongs to the queue; the closing of the journal, after which nothing uses it, to the loop.
/// A journal through libsystemd. The loop waits for changes.
final class SdJournal: OpenJournal, @unchecked Sendable {
    /// How often a journal is looked at whose changes the kernel does not report, because its files are on a network.
    private static let pollInterval = Duration.seconds(2)
    /// SD_JOURNAL_INVALIDATE
    private static let filesChanged: Int32 = 2

    private let journal: OpaquePointer
    private let queue: WorkQueue
    private let wait: DescriptorWait
    private let changed: @Sendable () -> Void
    private var isClosed = false
    private var timer: QueueTimer?
    /// The cursor of the record at or before the place; nil if there is none.
    private var place: String?
    /// Where reading began, in microseconds since 1970, if `place` is nil; otherwise at the beginning.
    private var since: UInt64?
    /// Whether the next record may be the one at the place, which was read already.
    private var mayRepeat = false
    private var matches: [String] = []
    private let directories: [String]
    /// When names in the directories have changed last.
    private var changes: [Int64] = []
    /// The last record of any kind that was known when files came or went, until the one after it is found: what was
    /// missed is in between.
    private var newest: String?

    /// Takes over the journal.
    ///
    /// - Parameter directories: where its files are.
    init(
        _ journal: OpaquePointer, in directories: [String], loop: EventLoop, queue: WorkQueue,
        changed: @escaping @Sendable () -> Void
    ) {
        self.journal = journal
        self.directories = directories
        self.queue = queue
        self.changed = changed
        wait = DescriptorWait(on: loop)
    }

    // Before the loop has closed the journal, this object is retained.
    deinit { assert(isClosed) }

    /// Adds the matches of a rule, and begins to notice changes. Called once.
    func add(_ rule: JournalRule) throws(JournalFailure) {
        matches = rule.matches
        changes = currentChanges
        try addMatches()
        // What happens from now on is reported, also before the first wait.
        let descriptor = sd_journal_get_fd(journal)
        if descriptor == -EMFILE || descriptor == -ENFILE { throw .noWatches }
        try check(descriptor)
        try check(sd_journal_set_data_threshold(journal, JournalFields.mostValueBytes + 128))
    }

    func seekToEnd() throws(JournalFailure) -> String? {
        mayRepeat = false
        (place, since) = (nil, nil)
        // The end alone is no place: without a step back, the next record would be the last one.
        try check(sd_journal_seek_tail(journal))
        if try check(sd_journal_previous(journal)) > 0 {
            place = try cursor()
        } else {
            // No record matches, so all that will come are after the beginning.
            try check(sd_journal_seek_head(journal))
        }
        return place
    }

    func seek(since microseconds: UInt64) throws(JournalFailure) {
        mayRepeat = false
        (place, since) = (nil, microseconds)
        try check(sd_journal_seek_realtime_usec(journal, microseconds))
    }

    func seek(after cursor: String) throws(JournalFailure) {
        let result = sd_journal_seek_cursor(journal, cursor)
        if result == -EINVAL { throw .invalidCursor }
        try check(result)
        place = cursor
        mayRepeat = true
    }

    func next(_ isWanted: (JournalOrigin) -> Bool) throws(JournalFailure) -> JournalStep {
        guard try check(sd_journal_next(journal)) > 0 else { return .end }
        do throws(JournalFailure) {
            if mayRepeat, let place {
                mayRepeat = false
                if try check(sd_journal_test_cursor(journal, place)) > 0 { return .unwanted }
            }
            var microseconds: UInt64 = 0
            try check(sd_journal_get_realtime_usec(journal, &microseconds))
            let cursor = try cursor()
            place = cursor
            let origin = JournalOrigin(
                unit: value(of: "_SYSTEMD_UNIT"), userUnit: value(of: "_SYSTEMD_USER_UNIT"), pid: value(of: "_PID"),
                uid: value(of: "_UID"), microseconds: microseconds)
            guard isWanted(origin) else { return .unwanted }
            return .record(JournalRecord(cursor: cursor, microseconds: microseconds, fields: fields()))
        } catch .system(Self.gone) {
            // It was removed while it was read.
            return .unwanted
        }
    }

    func awaitChange() {
        let descriptor = sd_journal_get_fd(journal)
        guard descriptor >= 0 else { return poll() }
        wait.wait(for: descriptor, .readable) { [weak self] error in
            guard let self else { return }
            queue.async { if error == nil { self.report() } else { self.poll() } }
        }
        if sd_journal_reliable_fd(journal) == 0 { poll() }
    }

    func update() throws(JournalFailure) -> JournalGap? {
        let now = currentChanges
        guard now != changes || newest != nil else {
            if try check(sd_journal_process(journal)) == Self.filesChanged { try seekToPlace() }
            return nil
        }
        changes = now
        sd_journal_flush_matches(journal)
        if newest == nil { newest = try cursorAtEnd() }
        try check(sd_journal_process(journal))
        let gap = try gap()
        try addMatches()
        try seekToPlace()
        return gap
    }

    /// The file of the place may have been renamed or removed.
    private func seekToPlace() throws(JournalFailure) {
        if let place { return try seek(after: place) }
        if let since { return try seek(since: since) }
        try check(sd_journal_seek_head(journal))
    }

    /// For each directory, the time of its last change in nanoseconds; 0 for one that is missing.
    private var currentChanges: [Int64] {
        directories.map { directory in
            var status = stat()
            guard stat(directory, &status) == 0 else { return 0 }
            return Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        }
    }

    private func addMatches() throws(JournalFailure) {
        for match in matches {
            var match = match
            try check(match.withUTF8 { sd_journal_add_match(journal, $0.baseAddress, $0.count) })
        }
    }

    private func cursorAtEnd() throws(JournalFailure) -> String? {
        try check(sd_journal_seek_tail(journal))
        return try check(sd_journal_previous(journal)) > 0 ? try cursor() : nil
    }

    private func gap() throws(JournalFailure) -> JournalGap? {
        guard let last = newest else { return nil }
        try check(sd_journal_seek_cursor(journal, last))
        // Without one the files are empty yet.
        guard try check(sd_journal_next(journal)) > 0 else { return nil }
        newest = nil
        // Journald removes the oldest files first. While the record is there, so is what followed it.
        guard try check(sd_journal_test_cursor(journal, last)) == 0 else { return nil }
        return JournalGap(after: last, before: try cursor())
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        timer?.cancel()
        // The loop may still watch the descriptor.
        wait.cancel { [self] in sd_journal_close(journal) }
    }

    // MARK: Changes

    private func poll() {
        timer?.cancel()
        timer = queue.async(after: Self.pollInterval) { [weak self] in self?.report() }
    }

    private func report() {
        timer?.cancel()
        timer = nil
        if !isClosed { changed() }
    }

    // MARK: The current record

    private func cursor() throws(JournalFailure) -> String {
        var text: UnsafeMutablePointer<CChar>?
        try check(sd_journal_get_cursor(journal, &text))
        guard let text else { throw .system("no cursor") }
        defer { free(text) }
        return String(cString: text)
    }

    /// The first value of a field; nil without the field.
    private func value(of field: String) -> String? {
        var data: UnsafeRawPointer?
        var count = 0
        guard sd_journal_get_data(journal, field, &data, &count) >= 0, let data else { return nil }
        let bytes = UnsafeRawBufferPointer(start: data, count: count)
        return String(decoding: bytes.dropFirst(field.utf8.count + 1), as: UTF8.self)
    }

    private func fields() -> RawJSON {
        var fields = JournalFields()
        var data: UnsafeRawPointer?
        var count = 0
        sd_journal_restart_data(journal)
        while sd_journal_enumerate_available_data(journal, &data, &count) > 0 {
            fields.add(UnsafeRawBufferPointer(start: data, count: count))
        }
        return fields.json
    }

    private static let gone = SystemErrorName.text(of: EADDRNOTAVAIL)

    @discardableResult
    private func check(_ result: Int32) throws(JournalFailure) -> Int32 {
        guard result >= 0 else { throw .system(SystemErrorName.text(of: -result)) }
        return result
    }
}
