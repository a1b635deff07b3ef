import Glibc
import RxJSON
import TestSupport
import Testing

/// `rxctl subscribe --cursor-file`, killed again and again at any point.
@Suite(.ownThreads)
struct KilledReaderTests {
    private static let kills = 40 * Effort.times

    /// Elements that may be emitted for each kill, so that the daemon still has all of them on the slowest machine.
    private static let elementsPerKill = 250

    /// Prints running numbers, as many as the file `allowed` contains, until the file `enough` exists, and writes the
    /// last number to `emitted`.
    ///
    /// Numbers come in bursts that keep a reader busy for a while, and some elements are so long that a kill can tear
    /// them.
    private static let emitter = #"""
        [limits]
        replayEvents = 100000   # more than is ever emitted
        replayBytes = 67108864
        replayBytesOfAll = 67108864

        [action.count]
        run = ["/bin/bash", "-c", '''
        printf -v long "%20000s"
        mkfifo "$0/pause"; exec 3<>"$0/pause"
        n=0
        allowed=0
        until [ -e "$0/enough" ]; do
          read allowed < "$0/allowed"
          for ((burst = 0; burst < 250 && n < allowed; burst++)); do
            if ((++n % 64)); then printf '{"n":%d}\n' $n; else printf '{"n":%d,"long":"%s"}\n' $n "$long"; fi
          done
          read -t 0.05 -u 3
        done
        echo $n > "$0/emitted"
        ''', "DIRECTORY"]
        output = "json"

        """#

    private static let reader =
        #"exec "$rxctl" subscribe count echo --channel elements --values --cursor-file where "$@" >>seen 2>>errors"#

    private func startReader(_ sandbox: Sandbox, _ options: String...) async throws -> Program {
        try await sandbox.start(
            ["/bin/sh", "-c", #"cd "\#(sandbox.directory)"; \#(KilledReaderTests.reader)"#, "sh"] + options,
            environment: ["rxctl": Programs.rxctl])
    }

    private func untilReading(_ place: String, after before: String?) async throws {
        try await eventually("the reader goes on") { Files.read(place) != before }
    }

    /// Whether the cursor file has the intent of an unfinished write.
    private func isWriting(_ place: String) -> Bool { Files.read(place)?.utf8.contains(UInt8(ascii: "{")) ?? false }

    /// Looks without a pause, as it is a matter of microseconds, but not for long.
    private func untilWriting(_ place: String) {
        let deadline = ContinuousClock.now + .milliseconds(20)
        while !isWriting(place), ContinuousClock.now < deadline {}
    }

    @Test("a reader killed again and again while elements are emitted leaves exactly those, each once and in order")
    func kills() async throws {
        try await withSandbox { sandbox in
            var numbers = SeededNumbers()
            sandbox.configure(
                KilledReaderTests.emitter.replacing("DIRECTORY", with: sandbox.directory), file: "conf.d/count.toml")
            let daemon = try await sandbox.startDaemon()
            let place = sandbox.directory + "/where"
            let allow = { (kills: Int) in
                Files.write("\(kills * KilledReaderTests.elementsPerKill)\n", to: sandbox.directory + "/allowed")
            }
            allow(1)
            var reader = try await startReader(sandbox)
            // From its first write on it has a place to come back to; before, it would begin with whatever is next.
            try await eventually("the first reader knows where it is") { !(Files.read(place) ?? "").isEmpty }
            _ = try await sandbox.detach("count", "null")

            var killedWhileWriting = 0
            for kill in 1...KilledReaderTests.kills {
                // Read before more is allowed, since that may be all that changes it.
                let before = Files.read(place)
                allow(kill + 1)
                switch Int.random(in: 0..<3, using: &numbers) {
                case 0:
                    // Wherever it is, be it before its first connection.
                    try await Task.sleep(for: .microseconds(Int.random(in: 0...50_000, using: &numbers)))
                case 1:
                    try await untilReading(place, after: before)
                    try await Task.sleep(for: .microseconds(Int.random(in: 0...8000, using: &numbers)))
                case _:
                    try await untilReading(place, after: before)
                    untilWriting(place)
                }
                reader.signal(SIGKILL)
                #expect(try await reader.result().status == 128 + SIGKILL)
                if isWriting(place) { killedWhileWriting += 1 }
                reader = try await startReader(sandbox)
            }
            reader.signal(SIGKILL)
            _ = try await reader.result()

            Files.write("", to: sandbox.directory + "/enough")
            let emitted = sandbox.directory + "/emitted"
            try await eventually("the emitter ends") { Files.read(emitted)?.hasSuffix("\n") ?? false }
            let count = try #require(Files.read(emitted).flatMap { Int($0.dropLast()) })
            _ = try await sandbox.rxctl("wait", "count")
            _ = try await sandbox.rxctl("execute", "echo", #"{"n":"all"}"#)
            let last = try await startReader(sandbox, "--until", #".n == "all""#).result()
            print(
                "killed readers: RX_SEED=\(numbers.seed), \(count) elements, \(killedWhileWriting) kills within a write"
            )
            #expect(killedWhileWriting > 0, "or this shows little")

            let errors = Files.read(sandbox.directory + "/errors") ?? ""
            #expect(last.status == 0, "\(errors)")
            #expect(errors == "", "RX_SEED=\(numbers.seed)")
            let seen = (Files.read(sandbox.directory + "/seen") ?? "").split(separator: "\n").map { line in
                try? RawJSON(validating: String(line)).value()["n"]
            }
            let expected = (1...count).map { JSONValue?(JSONValue($0)) } + ["all"]
            #expect(seen.count == expected.count, "RX_SEED=\(numbers.seed)")
            let difference = zip(seen, expected).enumerated().first { $1.0 != $1.1 }
            #expect(difference == nil, "RX_SEED=\(numbers.seed): line \((difference?.offset ?? 0) + 1)")
            try await sandbox.stopCleanly(daemon)
        }
    }
}
