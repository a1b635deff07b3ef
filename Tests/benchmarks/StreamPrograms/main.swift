// The programs of streams, evaluated by workers: see Benchmarks/cases/programs.sh.
//
//   StreamProgramBenchmarks lines FILE PROGRAM BATCH   evaluates a condition on each line, and prints how many held
//   StreamProgramBenchmarks single COUNT               prints the median time of one element in a request, in us

import Glibc
import RxJSON
import RxJq
import RxStreams
import RxTime

JqWorker.serveIfAsked()

let arguments = CommandLine.arguments
let evaluator = StreamEvaluator()
let time = Instant(seconds: 1_700_000_000)

func bytes(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    precondition(count == bytes.count, "cannot read \(path)")
    close(descriptor)
    return bytes
}

func count(_ program: StreamProgram, _ path: String, batch: Int) -> Int {
    let holds = ProgramResult.values([.true])
    var held = 0
    var inputs: [ProgramInput] = []
    func run() {
        while !inputs.isEmpty {
            let results = evaluator.evaluate(program, on: inputs)
            for result in results where result == holds { held += 1 }
            inputs.removeFirst(results.count)
        }
    }
    for line in bytes(of: path).split(separator: UInt8(ascii: "\n")) {
        inputs.append(ProgramInput(value: RawJSON(unchecked: Array(line)), time: time))
        if inputs.count == batch { run() }
    }
    run()
    return held
}

func single(_ count: Int) -> Double {
    let program = StreamProgram(#".action != "alert""#, .condition)
    let input = [ProgramInput(value: RawJSON(unchecked: Array(#"{"action":"backup","n":12}"#.utf8)), time: time)]
    let clock = ContinuousClock()
    _ = evaluator.evaluate(program, on: input)
    let times = (0..<count).map { _ in clock.measure { _ = evaluator.evaluate(program, on: input) } }.sorted()
    return Double(times[count / 2].components.attoseconds) / 1e12
}

switch (arguments.dropFirst().first, arguments.count) {
case ("lines", 5): print(count(StreamProgram(arguments[3], .condition), arguments[2], batch: Int(arguments[4]) ?? 256))
case ("single", 3): print(single(Int(arguments[2]) ?? 1000))
default: exit(EX_USAGE)
}
