/// The share of a processor that the daemon uses, measured over the last second or so: four snapshots a second are too
/// close for a clock that counts milliseconds.
struct TopLoad {
    private static let span: Int64 = 1000
    /// Two snapshots closer than this give no figure; the one before stays.
    private static let least: Int64 = 200

    /// 1 is one processor; nil if it is unknown. Until there is a second sample: since the start of the daemon.
    private(set) var share: Double?

    private var samples: [(time: Int64, processor: Int64)] = []
    private var startedAt: Int64 = 0

    mutating func add(_ daemon: TopDaemon, at time: Int64) {
        guard let processor = daemon.processor else { return share = nil }
        // Another process begins from nothing; so does a clock that was set back.
        if daemon.startedAt != startedAt || samples.last.map({ $0.time >= time }) ?? false { samples = [] }
        startedAt = daemon.startedAt
        let first = samples.first ?? (startedAt, 0)
        samples.append((time, processor))
        while samples.count > 2, samples[1].time <= time - Self.span { samples.removeFirst() }
        guard time - first.time >= Self.least else { return }
        share = Double(processor - first.processor) / Double(time - first.time)
    }
}
