internal import RxJSON
internal import RxTerminal

/// What `top` shows and what its keys act on: a value. `press` changes it and returns what has to be done; `TopView`
/// draws it.
struct TopState {
    enum Mode: Equatable {
        case list
        /// The filter is being typed.
        case filter
        /// A question, whose yes is this request.
        case confirm(TopRequest, question: String)
        /// The reason for a switch is being typed.
        case reason(TopItem.Kind, String, LineEditor)
        case form(TopForm)
        /// Lines to read, and the first one that is shown.
        case text(title: String, lines: [String], first: Int)
    }

    enum Connection: Equatable {
        /// Nothing has come from the daemon yet.
        case opening
        case connected
        /// Lost, for this reason; the daemon is being looked for.
        case lost(String)
    }

    /// What the daemon describes of the selected item.
    struct Details {
        let id: String
        let value: JSONValue
    }

    private(set) var snapshot = TopSnapshot(time: 0)
    private(set) var load = TopLoad()
    var connection = Connection.opening
    var mode = Mode.list
    private(set) var filter = LineEditor()
    /// The `id` of the selected item.
    private(set) var selection: String?
    /// The line of the list at its upper edge.
    private(set) var offset = 0
    var details: Details?
    /// The result of the last request, until the next key.
    var message: (text: String, isFault: Bool)?
    var past: TopPast?
    /// Whether an answer about the log is awaited.
    var isReadingLog = false
    /// The ends in the history, from before `top` and the daemon have started, by action.
    var history: [String: [TopEnd]] = [:]
    /// `--socket PATH`, if it was given.
    let globalWords: [String]

    init(globalWords: [String] = []) { self.globalWords = globalWords }

    // MARK: The present and the past

    /// Takes a snapshot. Of an action whose ends it does not have, the known ones stay.
    mutating func take(_ new: TopSnapshot) {
        let known = Dictionary(snapshot.items.map { ($0.id, $0.ends) }) { $1 }
        snapshot = new
        for index in snapshot.items.indices {
            let item = snapshot.items[index]
            guard item.kind == .action else { continue }
            guard let ends = item.ends else {
                snapshot.items[index].ends = known[item.id] ?? nil
                continue
            }
            let first = ends.first?.end ?? .max
            let older = (history[item.name] ?? []).filter { $0.end < first }
            snapshot.items[index].ends = Array((older + ends).suffix(TopEnd.most))
        }
        if let daemon = new.daemon { load.add(daemon, at: new.time) }
        connection = .connected
        settle()
    }

    /// Takes records of the history: what has ended before.
    mutating func take(history records: [JSONValue]) {
        history = [:]
        for record in records {
            guard let end = TopEnd(record) else { continue }
            history[record.text("action"), default: []].append(end)
        }
        history = history.mapValues { Array($0.sorted { $0.end < $1.end }.suffix(TopEnd.most)) }
    }

    /// The moment that is shown, in milliseconds since 1970.
    var time: Int64 { past?.time ?? snapshot.time }

    /// The items that pass the filter, as they are or were.
    var items: [TopItem] {
        let all = past?.items(snapshot.items) ?? snapshot.items
        let wanted = filter.text.lowercased()
        return wanted.isEmpty ? all : all.filter { $0.name.lowercased().contains(wanted) }
    }

    var selected: TopItem? { items.first { $0.id == selection } }

    // MARK: Selection

    /// Selects the item that is so many places further.
    mutating func move(by places: Int) {
        let items = items
        guard !items.isEmpty else { return }
        let index = items.firstIndex { $0.id == selection } ?? 0
        selection = items[min(max(0, index + places), items.count - 1)].id
    }

    /// Selects the first item if none is selected, or it has gone.
    mutating func settle() {
        let items = items
        if !items.contains(where: { $0.id == selection }) { selection = items.first?.id }
    }

    /// Moves the list so that the selected line is within so many rows, and the line above it too: the first row has
    /// the heading.
    mutating func scroll(toFit rows: Int) {
        let lines = TopList.lines(of: items)
        let selected = lines.firstIndex { $0.item?.id == selection } ?? 0
        offset = max(0, min(offset, lines.count - rows, selected - 1))
        offset = max(offset, selected - max(1, rows) + 1)
    }
}

/// The keys of `top`.
extension TopState {
    /// Lines that Page Up and Page Down go through.
    private static let page = 10

    /// Takes a key.
    ///
    /// - Returns: what is to be done.
    mutating func press(_ key: Key) -> TopRequest? {
        message = nil
        switch mode {
        case .list: return pressInList(key)
        case .filter: return pressInFilter(key)
        case .confirm(let request, _):
            mode = .list
            switch key {
            case .character("y"), .character("Y"): return request
            case _: return nil
            }
        case .reason(let kind, let name, var line):
            if key == .escape { mode = .list }
            if key == .enter {
                mode = .list
                return .disable(kind, name, reason: line.text)
            }
            if line.press(key) { mode = .reason(kind, name, line) }
            return nil
        case .form(let form): return press(key, in: form)
        case .text(let title, let lines, let first):
            scroll(key, title, lines, first)
            return nil
        }
    }

    private mutating func pressInList(_ key: Key) -> TopRequest? {
        switch key {
        case .character("q"): return .quit
        case .escape:
            isReadingLog = false
            if past != nil { past = nil } else { filter = LineEditor() }
        case .up, .character("k"): move(by: -1)
        case .down, .character("j"): move(by: 1)
        case .pageUp: move(by: -Self.page)
        case .pageDown: move(by: Self.page)
        case .home, .character("g"): move(by: -Int.max / 2)
        case .end, .character("G"): move(by: Int.max / 2)
        case .left: return goBack()
        case .right:
            if past?.goForward() == false { past = nil }
        case .character("/"): mode = .filter
        case .control, .enter, .tab, .backTab, .backspace, .delete, .paste: break
        case .character(let character): return act(character)
        }
        settle()
        return nil
    }

    private mutating func pressInFilter(_ key: Key) -> TopRequest? {
        switch key {
        case .enter, .down, .up: mode = .list
        case .escape:
            filter = LineEditor()
            mode = .list
        case _: _ = filter.press(key)
        }
        settle()
        return nil
    }

    /// One step back in time.
    private mutating func goBack() -> TopRequest? {
        guard !isReadingLog else { return nil }
        guard let past else {
            isReadingLog = true
            return .log(before: nil)
        }
        guard past.isAtBeginning else {
            self.past?.goBack()
            return nil
        }
        guard let before = past.before else {
            message = ("the log begins here", false)
            return nil
        }
        isReadingLog = true
        return .log(before: before)
    }

    // MARK: Keys that act on the selected item

    private mutating func act(_ key: Character) -> TopRequest? {
        guard "xedyo".contains(key), let item = selected else { return nil }
        if past != nil, "xed".contains(key) {
            message = ("this is the past; Esc returns to the present", true)
            return nil
        }
        switch (key, item.kind) {
        case ("y", .action), ("y", .stream): return .why(item.kind, item.name)
        case ("o", .action): return .output(item.name, execution: past?.lastStarted(of: item.name))
        case ("e", .action): return .form(item.name)
        case ("x", .action): askToCancel(item)
        case ("d", .action), ("d", .stream): askToSwitch(item)
        case _: message = (Self.advice(key, item), true)
        }
        return nil
    }

    private mutating func askToCancel(_ item: TopItem) {
        let count = (item.inFlight ?? 0) + (item.queued ?? 0)
        guard count > 0 else {
            message = ("\(item.name) has no executions in flight", true)
            return
        }
        let what = count == 1 ? "the execution" : "\(count) executions"
        // Requests for a later time are neither in flight nor queued, but are canceled as well.
        let later = item.next == nil ? "" : ", and any requested for a later time"
        mode = .confirm(.cancel(item.name), question: "Cancel \(what) of \(item.name)\(later)? y/n")
    }

    private mutating func askToSwitch(_ item: TopItem) {
        mode =
            item.isSwitchedOff
            ? .confirm(.enable(item.kind, item.name), question: "Enable \(item.name)? y/n")
            : .reason(item.kind, item.name, LineEditor())
    }

    /// What to do with an item for which a key is not.
    private static func advice(_ key: Character, _ item: TopItem) -> String {
        switch (key, item.kind) {
        case ("e", .reactor): "\(item.name) is a reactor: rxctl dispatch \(item.name)"
        case ("e", .stream): "\(item.name) is a stream: rxctl fire \(item.name)"
        case ("d", .reactor), ("y", .reactor): "\(item.name) is a reactor, and always enabled"
        case _: "\(item.name) is a \(item.kind.rawValue), and has no executions of its own"
        }
    }

    // MARK: Forms and texts

    private mutating func press(_ key: Key, in form: TopForm) -> TopRequest? {
        var form = form
        switch key {
        case .escape: mode = .list
        case .enter:
            guard !form.isSent else { return nil }
            switch form.result {
            case .input(let input):
                form.isSent = true
                mode = .form(form)
                return .execute(form.action, input: input)
            case .fault(let fault, let field):
                form.show(fault, field: field)
                mode = .form(form)
            }
        case _: if form.press(key) { mode = .form(form) }
        }
        return nil
    }

    private mutating func scroll(_ key: Key, _ title: String, _ lines: [String], _ first: Int) {
        let step: Int
        switch key {
        case .down, .character("j"): step = 1
        case .up, .character("k"): step = -1
        case .pageDown, .character(" "): step = Self.page
        case .pageUp: step = -Self.page
        case .home: step = -lines.count
        case .end: step = lines.count
        case .escape, .enter, .character("q"), .character("y"):
            mode = .list
            return
        case _: return
        }
        mode = .text(title: title, lines: lines, first: min(max(0, first + step), max(0, lines.count - 1)))
    }
}
