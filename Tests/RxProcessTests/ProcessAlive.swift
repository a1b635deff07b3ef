@testable import RxProcess

/// Whether a process exists and is not a zombie.
func isAlive(_ pid: Int32) -> Bool {
    (try? ProcessTable.entry(pid)).map { !$0.isZombie } ?? false
}
