import Foundation

let process = Process()
let output = Pipe()
let errors = Pipe()
process.executableURL = URL(filePath: "/usr/bin/systemd-run")
process.arguments = ["--pipe", "double", "21"]
process.standardOutput = output
process.standardError = errors
try process.run()
while case let element = output.fileHandleForReading.availableData, !element.isEmpty {
    print(String(decoding: element, as: UTF8.self))
}
process.waitUntilExit()
if process.terminationStatus != 0 {
    print(String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
}
