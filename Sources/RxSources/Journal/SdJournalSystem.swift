internal import CSystemd
internal import Glibc
internal import RxLoop
internal import RxPlatform

/// The journal through libsystemd.
struct SdJournalSystem: JournalSystem {
    /// The flags of `sd_journal_open`: the files of this machine. SD_JOURNAL_LOCAL_ONLY.
    private static let local: Int32 = 1

    let loop: EventLoop
    /// The directory to read; nil for those of the machine.
    var directory: String?

    func open(
        _ rule: JournalRule, on queue: WorkQueue, changed: @escaping @Sendable () -> Void
    ) throws(JournalFailure) -> any OpenJournal {
        var opened: OpaquePointer?
        let result =
            if let directory { sd_journal_open_directory(&opened, directory, 0) } else {
                sd_journal_open(&opened, Self.local)
            }
        guard result >= 0, let opened else { throw failure(-result) }
        let journal = SdJournal(opened, in: directories, loop: loop, queue: queue, changed: changed)
        do throws(JournalFailure) {
            if directory == nil { try checkFiles(opened) }
            try journal.add(rule)
        } catch {
            journal.close()
            throw error
        }
        return journal
    }

    private func failure(_ errno: Int32) -> JournalFailure {
        switch errno {
        case EACCES, EPERM: .notPermitted
        case ENOENT: .missing
        case _: .system(SystemErrorName.text(of: errno))
        }
    }

    /// libsystemd opens a journal with whatever it may read, be it nothing.
    private func checkFiles(_ journal: OpaquePointer) throws(JournalFailure) {
        if sd_journal_has_runtime_files(journal) > 0 || sd_journal_has_persistent_files(journal) > 0 { return }
        guard !directories.isEmpty else { throw .missing }
        let files = directories.map { "\($0)/system.journal" }
        // A directory that may not be searched counts as one with a journal.
        let isHidden = files.contains { access($0, R_OK) != 0 && errno == EACCES }
        throw isHidden ? .notPermitted : .missing
    }

    /// Where the files are.
    private var directories: [String] {
        if let directory { return [directory] }
        var id = sd_id128_t()
        guard sd_id128_get_machine(&id) >= 0 else { return [] }
        let machine = withUnsafeBytes(of: &id) { bytes in
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        return ["/run/log/journal", "/var/log/journal"].map { "\($0)/\(machine)" }
    }
}
