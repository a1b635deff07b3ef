/// When the output is synced next: soon after a line, and rarely enough that a fast reader hardly waits for the disk.
struct SyncPace {
    /// The shortest time from a line to the sync.
    private static let shortest = Duration.seconds(1)
    /// The time without a sync, as a multiple of the time that the last one took: 2% of the time is the most.
    private static let share = 50

    private(set) var pause = SyncPace.shortest

    mutating func took(_ duration: Duration) {
        pause = max(SyncPace.shortest, duration * SyncPace.share)
    }
}
