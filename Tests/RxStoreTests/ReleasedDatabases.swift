import Glibc
import RxPlatform

@testable import RxStore

/// The databases of every released version of their tables, as the SQL text that makes them.
///
/// The text is frozen: it states what the released steps of `Schema` made, and rows as the versions that had them wrote
/// them. A new version adds its part at the end; a change of another part means that the released files are different
/// from what the tests upgrade.
enum ReleasedDatabases {
    /// The parts of rxd.db: the first N lead to version N.
    static let executions: [String] = [
        """
        PRAGMA auto_vacuum = INCREMENTAL;
        CREATE TABLE executions(
            seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, action TEXT NOT NULL, state TEXT NOT NULL,
            origin TEXT NOT NULL, queued_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER NOT NULL,
            elements INTEGER NOT NULL, input TEXT, error TEXT) STRICT;
        CREATE INDEX executions_by_action ON executions(action, id);
        CREATE TABLE pending(
            seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, action TEXT NOT NULL,
            origin TEXT NOT NULL, queued_at INTEGER NOT NULL, started_at INTEGER, timeout INTEGER,
            input TEXT, whole TEXT) STRICT;
        CREATE TABLE keys(
            seq INTEGER PRIMARY KEY, action TEXT NOT NULL, uid INTEGER NOT NULL, key TEXT NOT NULL,
            input_hash TEXT NOT NULL, id TEXT NOT NULL, given_at INTEGER NOT NULL, UNIQUE(action, uid, key)) STRICT;
        CREATE TABLE switches(
            action TEXT PRIMARY KEY, origin TEXT NOT NULL, since INTEGER NOT NULL, reason TEXT) STRICT;
        INSERT INTO executions VALUES
            (1, '01a1fc74-5543-7000-b6c5-000000000001', 'deploy', 'completed', '{"uid":1000,"gid":100,"pid":7}',
                10, 20, 30, 3, '{"n":1}', NULL),
            (2, '01a1fc74-5543-7000-b6c5-000000000002', 'deploy', 'failed', '{"trigger":"nightly"}',
                11, 21, 31, 0, NULL, '{"kind":"failed","message":"no","mayPass":true,"facts":{}}');
        INSERT INTO pending VALUES
            (1, '01a1fc74-5543-7000-b6c5-000000000003', 'deploy', '{"uid":1000,"gid":100,"pid":7}',
                12, NULL, 5000, '{"n":3}', '{"n":3}'),
            (2, '01a1fc74-5543-7000-b6c5-000000000004', 'build', '{"host":true}', 13, 23, NULL, '{"n":4}', NULL);
        INSERT INTO keys VALUES
            (1, 'deploy', 1000, 'done', 'c85d1734a1666a0', '01a1fc74-5543-7000-b6c5-000000000001', 10),
            (2, 'deploy', 1000, 'waiting', 'c7ed5734a104ebe', '01a1fc74-5543-7000-b6c5-000000000003', 12);
        INSERT INTO switches VALUES('build', '{"uid":0,"gid":0,"pid":1}', 40, 'full');
        """,
        "CREATE TABLE commits(number INTEGER NOT NULL) STRICT; INSERT INTO commits VALUES(5);",
        """
        ALTER TABLE keys ADD COLUMN given_up INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE keys ADD COLUMN origin TEXT;
        ALTER TABLE keys ADD COLUMN queued_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE keys ADD COLUMN started_at INTEGER;
        ALTER TABLE keys ADD COLUMN state TEXT;
        ALTER TABLE keys ADD COLUMN ended_at INTEGER;
        ALTER TABLE keys ADD COLUMN elements INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE keys ADD COLUMN error TEXT;
        UPDATE keys SET origin = '{"uid":1000,"gid":100,"pid":7}', queued_at = 10, started_at = 20,
            state = 'completed', ended_at = 30, elements = 3 WHERE key = 'done';
        UPDATE keys SET origin = '{"uid":1000,"gid":100,"pid":7}', queued_at = 12 WHERE key = 'waiting';
        CREATE INDEX keys_by_execution ON keys(id);
        CREATE INDEX keys_by_age ON keys(given_up);
        CREATE TABLE key_settings(salt TEXT NOT NULL, boot TEXT NOT NULL) STRICT;
        INSERT INTO key_settings VALUES('5d0c8b1f3a2e4977-91e6b0d4c35f7a28', '3f2a91c07b5d4e18-9c4e61d2a0837fb5');
        UPDATE keys SET given_up = 5000 + given_at;
        UPDATE keys SET input_hash = 'sfee6a5c08fe4008e' WHERE key = 'waiting';
        UPDATE keys SET origin = '{"reactor":"light","rule":1,"causes":[{"uid":1000,"gid":100,"pid":7}]}'
            WHERE key = 'done';
        INSERT INTO executions VALUES
            (3, '01a1fc74-5543-7000-b6c5-000000000005', 'build', 'cancelled',
                '{"reactor":"light","rule":1,"causes":[{"trigger":"nightly"},{"uid":1000,"gid":100,"pid":7}],' ||
                    '"omitted":2}',
                14, NULL, 34, 0, '{"n":5}', '{"kind":"cancelled","by":{"uid":0,"gid":0,"pid":1}}');
        """,
        """
        CREATE TABLE log(epoch TEXT NOT NULL, reserved INTEGER NOT NULL, trimmed INTEGER NOT NULL) STRICT;
        CREATE TABLE events(
            number INTEGER PRIMARY KEY, time INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
            execution TEXT, ordinal INTEGER NOT NULL, value TEXT) STRICT;
        CREATE INDEX events_by_execution ON events(execution, number) WHERE execution IS NOT NULL;
        CREATE INDEX events_without_execution ON events(number) WHERE execution IS NULL;
        CREATE TRIGGER execution_removed AFTER DELETE ON executions BEGIN
            UPDATE log SET trimmed = max(
                trimmed, coalesce((SELECT max(number) FROM events WHERE execution = OLD.id), 0));
            DELETE FROM events WHERE execution = OLD.id;
        END;
        INSERT INTO log VALUES('0a1b2c3d', 268435456, 6);
        INSERT INTO events VALUES
            (7, 20, 'deploy', 'started', '01a1fc74-5543-7000-b6c5-000000000001', 1, NULL),
            (9, 30, 'deploy', 'ended', '01a1fc74-5543-7000-b6c5-000000000001', 2, NULL),
            (11, 31, 'deploy', 'failed', '01a1fc74-5543-7000-b6c5-000000000002', 1, NULL),
            (12, 31, 'deploy', 'ended', '01a1fc74-5543-7000-b6c5-000000000002', 2, NULL),
            (15, 12, 'deploy', 'queued', '01a1fc74-5543-7000-b6c5-000000000003', 1, NULL),
            (17, 33, 'deploy', 'queueFull', NULL, 0, '{"limit":2}');
        """,
        """
        CREATE TABLE output(
            execution TEXT NOT NULL, stream TEXT NOT NULL, half INTEGER NOT NULL, first INTEGER, last INTEGER,
            count INTEGER NOT NULL, bytes INTEGER NOT NULL, data BLOB NOT NULL,
            PRIMARY KEY(execution, stream, half)) STRICT;
        CREATE INDEX output_by_last ON output(last, first) WHERE last IS NOT NULL;
        CREATE INDEX output_by_first ON output(first) WHERE first IS NOT NULL;
        CREATE TRIGGER execution_with_output_removed AFTER DELETE ON executions BEGIN
            DELETE FROM output WHERE execution = OLD.id;
        END;
        INSERT INTO output VALUES
            ('01a1fc74-5543-7000-b6c5-000000000001', 'elements', 0, 3, 3, 3, 12,
                x'031403226122'),
            ('01a1fc74-5543-7000-b6c5-000000000001', 'elements', 1, 8, 8, 0, 0,
                x'030314050a0137'),
            ('01a1fc74-5543-7000-b6c5-000000000001', 'stderr', 0, NULL, NULL, 0, 10,
                x'0100026f68'),
            ('01a1fc74-5543-7000-b6c5-000000000001', 'stderr', 1, NULL, NULL, 0, 0,
                x'0502030a5b72656461637465645d0300026e6f');
        """,
        """
        CREATE TABLE stream_values(
            stream TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY(stream, name)) STRICT;
        INSERT INTO stream_values VALUES
            ('nightly', 'position/0', '1795651032000000'), ('nightly action deploy', 'slot', '1795651032000000');
        """,
        """
        CREATE TABLE stream_log(trimmed INTEGER NOT NULL) STRICT;
        INSERT INTO stream_log VALUES(0);
        CREATE TABLE stream_events(
            number INTEGER PRIMARY KEY, time INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
            value TEXT NOT NULL) STRICT;
        CREATE INDEX stream_events_by_time ON stream_events(time);
        UPDATE stream_log SET trimmed = 13;
        INSERT INTO stream_events VALUES
            (14, 31, 'nightly', 'element', '{"n":1}'), (16, 32, 'nightly', 'lag', '{"dropped":3,"step":"0"}');
        """,
        "ALTER TABLE executions ADD COLUMN due_at INTEGER; ALTER TABLE pending ADD COLUMN due_at INTEGER;",
        "ALTER TABLE pending ADD COLUMN overlap_group TEXT; ALTER TABLE pending ADD COLUMN after TEXT;",
        """
        ALTER TABLE executions ADD COLUMN attempt INTEGER; ALTER TABLE executions ADD COLUMN attempts INTEGER;
        ALTER TABLE pending ADD COLUMN attempt INTEGER; ALTER TABLE pending ADD COLUMN attempts INTEGER;
        UPDATE executions SET attempt = 2, attempts = 3 WHERE seq = 2;
        UPDATE pending SET attempt = 3, attempts = 4 WHERE seq = 2;
        """,
        """
        CREATE TABLE epochs(epoch TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT;
        INSERT INTO epochs VALUES('99887766', 5);
        """,
        """
        CREATE TABLE holes(first INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT;
        INSERT INTO holes VALUES(8, 8);
        """,
        """
        ALTER TABLE log ADD COLUMN others_trimmed INTEGER NOT NULL DEFAULT 0;
        UPDATE log SET others_trimmed = trimmed;
        """,
        "CREATE INDEX events_of_switches ON events(name, number) WHERE kind = 'switched';",
        """
        CREATE TABLE names(
            kind TEXT NOT NULL, name TEXT NOT NULL, since INTEGER, time INTEGER NOT NULL, PRIMARY KEY(kind, name))
            STRICT, WITHOUT ROWID;
        ALTER TABLE log ADD COLUMN unnamed INTEGER NOT NULL DEFAULT 0;
        UPDATE log SET unnamed = reserved;
        INSERT INTO names VALUES('action', 'deploy', 0, 0), ('action', 'loose', NULL, 31);
        """,
        """
        ALTER TABLE log ADD COLUMN failures_trimmed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE log ADD COLUMN elements_trimmed INTEGER NOT NULL DEFAULT 0;
        UPDATE log SET failures_trimmed = trimmed, elements_trimmed = trimmed;
        ALTER TABLE stream_log ADD COLUMN elements_trimmed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE stream_log ADD COLUMN errors_trimmed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE stream_log ADD COLUMN firings_trimmed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE stream_log ADD COLUMN lags_trimmed INTEGER NOT NULL DEFAULT 0;
        UPDATE stream_log SET elements_trimmed = trimmed, errors_trimmed = trimmed, firings_trimmed = trimmed,
            lags_trimmed = trimmed;
        DROP TRIGGER execution_removed;
        CREATE TRIGGER execution_removed AFTER DELETE ON executions BEGIN
            UPDATE log SET
                trimmed = max(trimmed, coalesce((SELECT max(number) FROM events WHERE execution = OLD.id), 0)),
                failures_trimmed = max(failures_trimmed, coalesce(
                    (SELECT max(number) FROM events WHERE execution = OLD.id AND kind = 'failed'), 0)),
                elements_trimmed = max(elements_trimmed, coalesce(
                    (SELECT max(number) FROM events WHERE execution = OLD.id
                        AND (OLD.elements > 0 OR OLD.state = 'interrupted')), 0));
            DELETE FROM events WHERE execution = OLD.id;
        END;
        """,
        "ALTER TABLE commits ADD COLUMN marked INTEGER NOT NULL DEFAULT 0; UPDATE commits SET marked = 1;",
    ]

    /// The file `rxd.db-lock` of each version, as words: from version 2 on, with a mark of the five transactions.
    static let executionMarks: [Mark] = [
        Mark(words: []), Mark(words: executionSlots), Mark(words: executionSlots, hasCleanEnd: true),
        Mark(words: executionSlots, hasCleanEnd: true), Mark(words: executionSlots, hasCleanEnd: true),
        Mark(words: executionSlots, hasCleanEnd: true), Mark(words: executionSlots, hasCleanEnd: true),
        Mark(words: executionSlots, hasCleanEnd: true), Mark(words: executionSlots, hasCleanEnd: true),
        Mark(words: executionSlots, hasCleanEnd: true), Mark(words: executionSlots, hasCleanEnd: true),
        Mark(words: executionSlots, hasCleanEnd: true), Mark(words: executionSlots, hasCleanEnd: true),
        Mark(words: executionSlots, hasCleanEnd: true), Mark(words: executionSlots, hasCleanEnd: true),
        Mark(words: executionSlots, hasCleanEnd: true), Mark(words: executionSlots, hasCleanEnd: true),
    ]

    /// The parts of reactors.db: the first N lead to version N.
    static let reactors: [String] = [
        """
        PRAGMA auto_vacuum = INCREMENTAL;
        CREATE TABLE snapshots(
            reactor TEXT NOT NULL, revision INTEGER NOT NULL, time INTEGER NOT NULL, fingerprint TEXT NOT NULL,
            state TEXT NOT NULL, PRIMARY KEY(reactor, revision)) STRICT;
        CREATE TABLE steps(
            reactor TEXT NOT NULL, revision INTEGER NOT NULL, time INTEGER NOT NULL, cause TEXT, origin TEXT,
            action TEXT, mutation TEXT, patch TEXT, PRIMARY KEY(reactor, revision)) STRICT, WITHOUT ROWID;
        INSERT INTO snapshots VALUES('light', 0, 1, 'one', '[]');
        INSERT INTO steps VALUES
            ('light', 1, 2, NULL, '{"uid":1000,"gid":100,"pid":7}', '"a"', '1', '[{"op":"add","path":"/-","value":1}]'),
            ('light', 2, 3, NULL, NULL, NULL, '2', '[{"op":"add","path":"/-","value":2}]'),
            ('light', 3, 4, NULL, '{"trigger":"nightly"}', '"b"', '3', '[{"op":"add","path":"/-","value":3}]');
        INSERT INTO snapshots VALUES('dark', 0, 1, 'one', '[]'), ('dark', 2, 3, 'two', '[7,8]');
        INSERT INTO steps VALUES
            ('dark', 1, 2, NULL, '{"uid":1000,"gid":100,"pid":7}', '"c"', '7', '[{"op":"add","path":"/-","value":7}]'),
            ('dark', 2, 3, 'definition', NULL, NULL, NULL, NULL);
        """,
        "ALTER TABLE steps ADD COLUMN start INTEGER; UPDATE steps SET start = 3 WHERE revision = 3;",
        "CREATE TABLE commits(number INTEGER NOT NULL) STRICT; INSERT INTO commits VALUES(4);",
        """
        CREATE TABLE extents(
            reactor TEXT PRIMARY KEY, newest INTEGER NOT NULL, bytes INTEGER NOT NULL, number INTEGER NOT NULL)
            STRICT, WITHOUT ROWID;
        INSERT INTO extents VALUES('light', 3, 340, 4), ('dark', 2, 285, 4);
        """,
        "ALTER TABLE commits ADD COLUMN marked INTEGER NOT NULL DEFAULT 0; UPDATE commits SET marked = 1;",
    ]

    /// The file `reactors.db-lock` of each version, as words: from version 3 on, with a mark of the four transactions.
    static let reactorMarks: [Mark] = [
        Mark(words: []), Mark(words: []), Mark(words: reactorSlots), Mark(words: reactorSlots, hasCleanEnd: true),
        Mark(words: reactorSlots, hasCleanEnd: true),
    ]

    /// A file `-lock` as a version left it. It is empty in versions without marks.
    struct Mark {
        /// The two slots: the number of the mark, the boot's ID, the last transaction, the last one that was synced,
        /// and a checksum.
        let words: [UInt64]
        /// Whether the number of the mark, the size of the database, and a checksum follow.
        var hasCleanEnd = false

        /// The bytes of the file beside a database of this size.
        func bytes(databaseSize: Int) -> [UInt8] {
            var words = words
            if hasCleanEnd {
                let note = [words[6], UInt64(databaseSize)]
                words += note + [checksum(of: note)]
            }
            return words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
        }

        /// FNV-1a, frozen as the rest.
        private func checksum(of words: [UInt64]) -> UInt64 {
            var sum: UInt64 = 0xcbf2_9ce4_8422_2325
            for word in words {
                for index in 0..<8 { sum = (sum ^ (word >> (8 * UInt64(index)) & 0xFF)) &* 0x100_0000_01b3 }
            }
            return sum
        }
    }

    /// The boot in the marks.
    static let boot = BootID(high: 0x3f2a_91c0_7b5d_4e18, low: 0x9c4e_61d2_a083_7fb5)

    private static let executionSlots: [UInt64] = [
        6, 0x3f2a_91c0_7b5d_4e18, 0x9c4e_61d2_a083_7fb5, 5, 4, 0x12ac_0e40_ad24_5878,
        7, 0x3f2a_91c0_7b5d_4e18, 0x9c4e_61d2_a083_7fb5, 5, 5, 0x8328_3bf5_9611_2fac,
    ]

    private static let reactorSlots: [UInt64] = [
        6, 0x3f2a_91c0_7b5d_4e18, 0x9c4e_61d2_a083_7fb5, 4, 3, 0xfc90_0735_f6e5_e35e,
        7, 0x3f2a_91c0_7b5d_4e18, 0x9c4e_61d2_a083_7fb5, 4, 4, 0x5324_ed36_8deb_618c,
    ]

    /// Makes the files that a version left at a clean stop: `rxd.db` or `reactors.db` in a directory, and its mark.
    static func make(_ name: String, in directory: String, version: Int) throws {
        let (schema, parts, marks): (Schema, [String], [Mark]) =
            name == "rxd.db"
            ? (.executions, executions, executionMarks) : (.reactors, reactors, reactorMarks)
        let path = directory + "/" + name
        try Schema.createFile(path, on: .system)
        do {
            let database = try Database(path: path, on: .system)
            database.movesLogAtClose(true)
            for part in parts.prefix(version) { try database.execute(part) }
            try database.execute(
                """
                PRAGMA application_id = \(schema.applicationID); PRAGMA user_version = \(version);
                PRAGMA journal_mode = WAL
                """)
        }
        let mark = marks[version - 1].bytes(databaseSize: Disk.system.size(path) ?? 0)
        try Schema.createFile(path + "-lock", on: .system)
        let descriptor = open(path + "-lock", O_WRONLY | O_CLOEXEC)
        precondition(descriptor >= 0 && write(descriptor, mark, mark.count) == mark.count)
        close(descriptor)
    }
}
