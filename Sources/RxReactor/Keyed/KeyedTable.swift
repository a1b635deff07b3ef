/// Maps an identity to its chunk. Consists of several tables, so that a change copies only one of them.
@usableFromInline
struct KeyedTable<ID: Hashable> {
    /// The number of tables. With ten thousand entries each has about as many as a chunk has elements.
    @inlinable static var shardCount: Int { 64 }

    @usableFromInline var shards = [[ID: Int]](repeating: [:], count: KeyedTable.shardCount)

    @inlinable init() {}

    @inlinable subscript(id: ID) -> Int? {
        get { shards[shard(of: id)][id] }
        set { shards[shard(of: id)][id] = newValue }
    }

    @inlinable func shard(of id: ID) -> Int { id.hashValue & (KeyedTable.shardCount - 1) }
}
