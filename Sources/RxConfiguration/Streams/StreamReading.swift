/// What all readers of streams share during one load.
struct StreamReading {
    let names: StreamNames
    let values: ValueReader
    let programs: ProgramList
    let surroundings: StreamSurroundings
    let notes = LineNotes()
    let faults: FaultList
}
