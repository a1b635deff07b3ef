internal import RxStreams

/// Which program a worker keeps in which slot: those used last.
struct ProgramSlots {
    /// The most bytes of all texts: far more than a configuration has, and little memory for the worker.
    static let mostBytes = 4 << 20

    private struct Slot {
        var program: StreamProgram
        var evaluated: EvaluatedProgram
        var lastUse: Int
    }

    private let most: Int
    private var slots: [Int: Slot] = [:]
    private var numbers: [StreamProgram: Int] = [:]
    private var bytes = 0
    private var uses = 0

    /// Slots for that many programs.
    init(most: Int = ProgramLimits.keptPrograms) { self.most = most }

    /// Whether the worker has this program.
    func has(_ program: StreamProgram) -> Bool { numbers[program] != nil }

    /// Marks a program as used. Its slot, what is evaluated, and whether the worker has yet to compile it.
    mutating func use(_ program: StreamProgram) -> (number: Int, evaluated: EvaluatedProgram, isNew: Bool) {
        uses += 1
        if let number = numbers[program], let slot = slots[number] {
            slots[number]?.lastUse = uses
            return (number, slot.evaluated, false)
        }
        let size = program.text.utf8.count
        while slots.count >= most || bytes + size > Self.mostBytes, removeOldest() {}
        let number = (0..<most).first { slots[$0] == nil } ?? 0
        let evaluated = EvaluatedProgram(program)
        slots[number] = Slot(program: program, evaluated: evaluated, lastUse: uses)
        numbers[program] = number
        bytes += size
        return (number, evaluated, true)
    }

    /// Forgets the program used longest ago; the worker drops it when the slot is used again.
    private mutating func removeOldest() -> Bool {
        guard let oldest = slots.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return false }
        slots[oldest.key] = nil
        numbers[oldest.value.program] = nil
        bytes -= oldest.value.program.text.utf8.count
        return true
    }
}
