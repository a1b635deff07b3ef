internal import RxProtocol
internal import RxTerminal

extension TopState {
    /// The actions whose bars are on a screen of so many rows, or within a screen of it.
    func visibleActions(rows: Int) -> [String] {
        let lines = TopList.lines(of: items)
        return lines.dropFirst(max(0, offset - rows)).prefix(rows * 3).compactMap(\.item)
            .filter { $0.kind == .action }.prefix(Limits.actionsWithEnds).map(\.name)
    }
}

extension TopView {
    /// The frame of a state; the list is scrolled so that the selected item is in it.
    static func frame(
        of state: inout TopState, columns: Int, rows: Int, hasKeys: Bool = true
    ) -> Frame {
        let layout = TopLayout(columns: columns, rows: rows, hasKeys: hasKeys)
        let lines = TopList.lines(of: state.items).count
        state.scroll(toFit: layout.list(lines: lines).rows)
        return TopView(state: state, layout: layout).frame()
    }
}
