internal import JSONRPC
internal import Logging
internal import RxHost
internal import RxJSON
internal import RxLoop
internal import RxPlatform
internal import RxProtocol

/// What all parts of a server share. The server makes one; everything in it is used on the loop's thread.
final class ServerContext {
    let host: Host
    let loop: EventLoop
    let limits: Limits
    let rights: Rights
    let logger: Logger
    let directories: DaemonDirectories
    let audit: Audit
    let encoder: EventEncoder
    let reader: MessageReader
    let started: Timestamp
    /// How long a requester that reads nothing at all may hold back its own work.
    let patience: Duration
    let spares = SpareBuffers()
    let dropped = DroppedEvents()
    /// Where the lines of a batch are assembled for one subscription.
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: EventBatch.blockBytes, alignment: 64)
    /// What each user uses.
    let accounts: Accounts
    let stateTexts = StateTexts()
    private var willForgetStateTexts = false
    /// Carries out the work of requests that takes too long for the loop.
    let workers: RequestWorkers
    /// Gives memory back after much was used.
    let memory: MemoryTrim
    /// Read the configuration again; nil if there is none.
    let reloads: ReloadQueue?
    /// Subscriptions that are not catching up have their events up to this cursor, except those that a delivery under
    /// way has not come to.
    var reached: UInt64 = 0
    private var lastToken: UInt64 = 0
    /// How long the text of a state is kept for other clients.
    private static let stateTextLifetime = Duration.seconds(2)

    init(
        host: Host, loop: EventLoop, limits: Limits, rights: Rights, logger: Logger, patience: Duration,
        reloads: ReloadQueue?, directories: DaemonDirectories
    ) {
        self.host = host
        self.loop = loop
        self.limits = limits
        self.rights = rights
        self.logger = logger
        self.patience = patience
        self.reloads = reloads
        self.directories = directories
        audit = Audit(logger: logger, loop: loop)
        encoder = EventEncoder(epoch: host.epoch, clock: host.platform.wallClock)
        reader = MessageReader(
            limits: JSONLimits(bytes: limits.lineBytes, depth: limits.depth), batch: limits.batch)
        started = Timestamp(milliseconds: host.time)
        accounts = Accounts(host.memory, limit: limits.bytesPerUid, patience: patience, loop: loop)
        workers = RequestWorkers(host.platform.queues)
        memory = MemoryTrim(
            loop: loop, queue: host.platform.queues.shared, allocator: host.platform.allocator)
        host.memory.limit = limits.bytesPerUid
        let own = LoopConfined((accounts: accounts, memory: memory))
        host.memory.observe { uid, freed in
            loop.execute {
                own.value.accounts.freed(for: uid)
                own.value.memory.freed(freed)
            }
        }
    }

    deinit {
        block.deallocate()
    }

    /// Forgets the texts of states soon, unless that is arranged already.
    func forgetStateTexts() {
        guard !willForgetStateTexts else { return }
        willForgetStateTexts = true
        loop.schedule(after: Self.stateTextLifetime) { [self] in
            willForgetStateTexts = false
            memory.freed(stateTexts.removeAll())
        }
    }

    /// A token that identifies one request of all clients.
    func makeToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }
}
