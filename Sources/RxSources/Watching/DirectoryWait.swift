internal import Glibc

/// Finds a directory, and notices when it may have appeared, gone, or become another one: through watches of the
/// directories above it.
final class DirectoryWait {
    /// Changes of a directory that may bring the next component of the path.
    private static let arrivals: WatchEvents = [.created, .movedTo, .attributes]
    private static let departures: WatchEvents = [.removedItself, .movedItself]
    /// A path that changes faster than this is looked at again later.
    private static let attempts = 100

    private let path: RawPath
    private let hub: WatchHub
    private unowned let user: any WatchUser
    private var watches: Set<Int32> = []

    /// What a look has found.
    enum Outcome {
        case present(FileStatus)
        /// It is missing, for a reason. Look again after `WatchReason.retry`, too: the kernel does not announce what is
        /// mounted, or that the target of a link appears.
        case missing(String)
    }

    init(_ path: RawPath, hub: WatchHub, user: any WatchUser) {
        self.path = path
        self.hub = hub
        self.user = user
    }

    /// Whether events of a watch mean that the directory must be looked for again.
    func owns(_ watch: Int32) -> Bool { watches.contains(watch) }

    /// Looks for the directory. While it is missing, the nearest directory above it is watched for what may arrive.
    func look() -> Outcome {
        for _ in 0..<Self.attempts {
            release()
            var reason: FileError?
            do throws(FileError) {
                watchAncestors()
                let status = try hub.kernel.status(path, following: true)
                guard status.kind == .directory else {
                    return .missing(WatchReason.noDirectory(path))
                }
                return .present(status)
            } catch { reason = error }
            guard let reason else { continue }
            guard reason.errno == ENOENT || reason.errno == ENOTDIR else {
                return .missing(WatchReason.unreadable(path, reason))
            }
            // Nearest directory: watched for arrivals first, then checked again.
            var nearest = path.parent
            while nearest.count > 1, !isDirectory(nearest) { nearest = nearest.parent }
            do throws(FileError) {
                watches.insert(try hub.watch(nearest, Self.arrivals.union(Self.departures), for: user))
            } catch {
                guard error.errno == ENOENT || error.errno == ENOTDIR else {
                    return .missing(
                        "\(path.text) does not exist; \(WatchReason.noWatch(nearest, error))")
                }
                continue
            }
            if !hasNextComponent(nearest) { return .missing("\(path.text) does not exist") }
        }
        return .missing("\(path.text) changes too fast")
    }

    /// Ends all watches.
    func release() {
        for watch in watches { hub.unwatch(watch, for: user) }
        watches = []
    }

    /// The kernel has removed a watch.
    func forget(_ watch: Int32) { watches.remove(watch) }

    /// Watches all directories above for their own moves, as far as permissions allow.
    private func watchAncestors() {
        var ancestor = path
        while ancestor.count > 1 {
            ancestor = ancestor.parent
            guard let watch = try? hub.watch(ancestor, Self.departures, for: user) else { continue }
            watches.insert(watch)
        }
    }

    private func isDirectory(_ path: RawPath) -> Bool {
        (try? hub.kernel.status(path, following: true))?.kind == .directory
    }

    /// Whether the path goes on below a directory by now.
    private func hasNextComponent(_ nearest: RawPath) -> Bool {
        var next = path
        while next.parent.count >= nearest.count, next.parent != nearest, next.count > 1 { next = next.parent }
        return isDirectory(next)
    }
}
