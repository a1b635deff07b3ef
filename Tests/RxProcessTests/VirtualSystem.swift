import Glibc
import RxLoop

@testable import RxProcess

// Sendable: used on one thread only.
/// A system without processes, threads, or real time. It has at most one process, whose behavior the test decides, and
/// keeps a log of what was done to it.
///
/// Nothing happens until `run` or `advance`: then closures in the order in which they were posted, watches in the order
/// in which they were set, and timers in the order of their times.
final class VirtualSystem: @unchecked Sendable {
    static let pid: pid_t = 100
    private static let pidDescriptor: Int32 = 1000

    /// What was done, with the virtual time.
    private(set) var log: [String] = []
    /// The pipe ends that the daemon has not closed.
    private(set) var openDescriptors: Set<Int32> = []
    /// What the daemon wrote to the process.
    private(set) var input: [UInt8] = []
    /// The behavior of the process. By default, it ignores all signals.
    var onSignal: (Int32) -> Void = { _ in }
    /// How much of its input the process takes; it never reads on.
    var inputRoom = 65_536
    /// The errno of a start; nil if it succeeds.
    var spawnError: Int32?
    /// How many more descriptors can be watched; nil for any number.
    var watchesLeft: Int?
    private(set) var now = Duration.zero

    private var posted: [() -> Void] = []
    private var timers: [(id: Int, time: Duration, body: () -> Void)] = []
    private var watches: [(id: Int, descriptor: Int32, handler: () -> Void)] = []
    private var lastID = 0
    private var unread: [Int32: [UInt8]] = [:]
    private var endedPipes: Set<Int32> = []
    private var plan: SpawnPlan?
    private var ended: ((Result<ProcessStatus, SpawnError>) -> Void)?
    private var status: ProcessStatus?
    private var isReapable = false
    private var members: [ProcessTable.Entry] = []

    // MARK: For the test

    /// The descriptors that are being watched.
    var watchedDescriptors: Set<Int32> { Set(watches.map(\.descriptor)) }

    /// Runs everything that is due now.
    func run() {
        while true {
            if !posted.isEmpty {
                posted.removeFirst()()
            } else if let watch = watches.first(where: { isReady($0.descriptor) }) {
                watch.handler()
            } else {
                return
            }
        }
    }

    /// Lets time pass, and runs everything that is due meanwhile.
    func advance(by time: Duration) {
        let end = now + time
        run()
        while let next = timers.min(by: { ($0.time, $0.id) < ($1.time, $1.id) }), next.time <= end {
            now = next.time
            timers.removeAll { $0.id == next.id }
            next.body()
            run()
        }
        now = end
    }

    func note(_ text: String) { log.append("\(now) \(text)") }

    /// The process writes to its standard output.
    func write(_ text: String) {
        guard let plan else { return }
        unread[plan.output, default: []] += Array(text.utf8)
    }

    /// The leader ends, and with it its output, unless another process holds it.
    func exit(_ status: ProcessStatus, closingOutput: Bool = true) {
        guard let plan, self.status == nil else { return }
        self.status = status
        members = members.map {
            $0.pid == Self.pid
                ? .init(pid: $0.pid, group: $0.group, session: $0.session, startTime: $0.startTime, isZombie: true) : $0
        }
        if closingOutput { endedPipes = [plan.output, plan.error] }
        reapIfPossible()
    }

    /// The leader has a child in its session.
    func fork(_ pid: pid_t) {
        members.append(.init(pid: pid, group: Self.pid, session: Self.pid, startTime: 2, isZombie: false))
    }

    /// The child ends, and with it the output.
    func endChild() {
        members.removeAll { $0.pid != Self.pid }
        if let plan { endedPipes = [plan.output, plan.error] }
    }

    // MARK: Inside

    private func isReady(_ descriptor: Int32) -> Bool {
        if descriptor == Self.pidDescriptor { return status != nil }
        // The write end is one above the read end.
        return unread[descriptor + 1]?.isEmpty == false || endedPipes.contains(descriptor + 1)
    }

    private func reapIfPossible() {
        guard isReapable, let status, let ended else { return }
        self.ended = nil
        members.removeAll { $0.pid == Self.pid }
        note("reaped")
        posted.append { ended(.success(status)) }
    }

    private func nextID() -> Int {
        lastID += 1
        return lastID
    }
}

extension VirtualSystem: ProcessSystem {
    var loop: VirtualSystem { self }
    var background: VirtualSystem { self }
    var files: VirtualSystem { self }
    var pipes: VirtualSystem { self }
    var spawner: VirtualSystem { self }
    var sessions: VirtualSystem { self }
}

extension VirtualSystem: ProcessLoop {
    struct Entry: Cancelable {
        fileprivate let remove: () -> Void
        func cancel() { remove() }
    }

    func execute(_ body: @escaping @Sendable () -> Void) { posted.append(body) }

    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> Entry {
        let id = nextID()
        timers.append((id, now + delay, body))
        return Entry { [self] in timers.removeAll { $0.id == id } }
    }

    func watchReadable(_ descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemCallError) -> Entry {
        try watch(descriptor, handler)
    }

    func watchWritable(_ descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemCallError) -> Entry {
        try watch(descriptor, handler)
    }

    private func watch(_ descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemCallError) -> Entry {
        if let watchesLeft {
            guard watchesLeft > 0 else { throw SystemCallError("epoll_ctl", errno: ENOSPC) }
            self.watchesLeft = watchesLeft - 1
        }
        let id = nextID()
        watches.append((id, descriptor, handler))
        return Entry { [self] in watches.removeAll { $0.id == id } }
    }
}

extension VirtualSystem: BackgroundWork {
    func run(_ body: @escaping @Sendable () -> Void) { posted.append(body) }
}

extension VirtualSystem: ProgramFiles {
    func directoryError(_ path: String) -> Int32? { nil }
    func programError(_ path: String) -> Int32? { nil }
    func exists(_ path: String) -> Bool { true }
    func head(of path: String, atMost limit: Int) -> [UInt8]? { nil }
}

extension VirtualSystem: PipeSystem {
    func open(keeping kept: Pipe.Kept) -> Result<Pipe, PipeError> {
        let readEnd = Int32(nextID() * 2)
        openDescriptors.formUnion([readEnd, readEnd + 1])
        return .success(Pipe(readEnd: readEnd, writeEnd: readEnd + 1))
    }

    func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> PipeContent {
        let bytes = unread[descriptor + 1, default: []].prefix(buffer.count)
        guard !bytes.isEmpty else { return endedPipes.contains(descriptor + 1) ? .end : .nothingYet }
        buffer.copyBytes(from: bytes)
        unread[descriptor + 1]?.removeFirst(bytes.count)
        return .bytes(bytes.count)
    }

    func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
        let taken = bytes.prefix(inputRoom - input.count)
        input += taken
        return taken.count
    }

    func blockBrokenPipeSignal() {}

    func close(_ descriptor: Int32) {
        precondition(openDescriptors.remove(descriptor) != nil, "closed twice")
    }
}

extension VirtualSystem: ProcessSpawner {
    func spawn(
        _ plan: SpawnPlan, started: @escaping @Sendable (SpawnedProcess) -> Void,
        ended: @escaping @Sendable (Result<ProcessStatus, SpawnError>) -> Void
    ) {
        note("spawn \(plan.program): \(plan.arguments)")
        for descriptor in [plan.input, plan.output, plan.error] { close(descriptor) }
        if let spawnError { return posted.append { ended(.failure(SpawnError(code: spawnError))) } }
        self.plan = plan
        self.ended = ended
        members = [.init(pid: Self.pid, group: Self.pid, session: Self.pid, startTime: 1, isZombie: false)]
        let process = SpawnedProcess(pid: Self.pid, descriptor: Self.pidDescriptor) { [self] in
            isReapable = true
            reapIfPossible()
        }
        posted.append { started(process) }
    }
}

extension VirtualSystem: SessionSystem {
    func signal(group: pid_t, _ signal: Int32) {
        note("\(signalName(signal)) to group \(group)")
        onSignal(signal)
    }

    func signal(process: pid_t, _ signal: Int32) {
        note("\(signalName(signal)) to process \(process)")
        onSignal(signal)
    }

    func all() -> [ProcessTable.Entry] { members }
    func entry(_ pid: pid_t) -> ProcessTable.Entry? { members.first { $0.pid == pid } }
    func origin(of pid: pid_t) -> ProcessOrigin { ProcessOrigin() }
    var own: pid_t { 1 }
}
