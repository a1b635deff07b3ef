/// All operators. The configuration reader, the checker, `rxctl describe --operators`, and docs/streams.md follow from
/// it. An operator is a file in this folder and a line here.
public enum OperatorTable {
    /// In the order of the documentation.
    public static let all: [StreamOperator] = [
        .map, .filter, .compactMap, .distinctUntilChanged, .scan, .pairwise, .startWith, .enumerated, .timestamp,
        .take, .skip, .takeWhile, .skipWhile, .takeUntil, .skipUntil, .elementAt,
        .debounce, .throttle, .sample, .delay, .held, .timeout,
        .buffer, .window, .recent, .groupBy,
        .withLatestFrom, .merge, .concat,
        .concatMap, .flatMap, .flatMapLatest, .flatMapFirst,
        .retry, .catch,
    ]

    /// The operator of a name.
    public static func named(_ name: String) -> StreamOperator? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}
