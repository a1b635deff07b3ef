internal import Rx
internal import RxAction
internal import RxPlatform

/// A note beside the database of executions that have ended, as readers and callers know, and whose end is not in it:
/// the next daemon must not take them for interrupted. It needs no room on a full disk and no disk that answers, and
/// survives a kill.
///
/// The file has a place for each: the two halves of the id, and the complement of both combined. Other words are no id.
// Unchecked: the lock of `state` guards the words.
final class LostEnds: @unchecked Sendable {
    /// The most executions in the note. Those beyond it become `interrupted` if the daemon is killed before they are
    /// removed from the database; they were all in flight at once when the disk became full.
    static let most = 1024
    static let words = most * wordsOfOne
    private static let wordsOfOne = 3

    private struct State {
        var places: [ExecutionID: Int] = [:]
        var free: [Int] = []
        /// Whether the file is ours.
        var isOpen = true
    }

    /// Keeps the memory.
    private let mapping: FileMapping
    private let words: UnsafeMutableBufferPointer<UInt64>
    private let state: Locked<State>

    /// - Parameter index: the word at which it begins.
    init(_ mapping: FileMapping, at index: Int) {
        self.mapping = mapping
        words = UnsafeMutableBufferPointer(
            rebasing: mapping.bytes.bindMemory(to: UInt64.self)[index..<(index + Self.words)])
        var found = State()
        for place in (0..<Self.most).reversed() {
            let first = place * Self.wordsOfOne
            let (high, low) = (words[first], words[first + 1])
            if words[first + 2] == ~(high ^ low) {
                found.places[ExecutionID(high: high, low: low)] = place
            } else {
                found.free.append(place)
            }
        }
        state = Locked(found)
    }

    /// The executions in the note, in no order.
    var ids: [ExecutionID] { state.withLock { Array($0.places.keys) } }

    /// Lets another daemon have the file: ignores later changes.
    func close() { state.withLock { $0.isOpen = false } }

    /// Adds executions, as far as there is room.
    func add(_ ids: [ExecutionID]) {
        guard !ids.isEmpty else { return }
        state.withLock { state in
            guard state.isOpen else { return }
            for id in ids where state.places[id] == nil {
                guard let place = state.free.popLast() else { return }
                state.places[id] = place
                let (high, low) = id.halves
                let first = place * Self.wordsOfOne
                (words[first], words[first + 1], words[first + 2]) = (high, low, ~(high ^ low))
            }
        }
    }

    /// Removes executions of which the database has nothing any more.
    func remove(_ ids: [ExecutionID]) {
        guard !ids.isEmpty else { return }
        state.withLock { state in
            guard state.isOpen else { return }
            for id in ids {
                guard let place = state.places.removeValue(forKey: id) else { continue }
                for index in 0..<Self.wordsOfOne { words[place * Self.wordsOfOne + index] = 0 }
                state.free.append(place)
            }
        }
    }
}
