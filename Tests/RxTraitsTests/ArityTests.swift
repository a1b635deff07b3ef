import Rx
import RxTraits
import Testing
import TestSupport

@Suite("combineLatest and zip of up to eight shared sequences", .leakFree)
struct ArityTests {
    @Test("combineLatest, with a closure and without")
    func combineLatest() {
        #expect(results { Driver.combineLatest(Driver.just(1), Driver.just("2")) { "\($0)\($1)" } } == "12 |")
        #expect(results { Driver.combineLatest(Driver.just(1), Driver.just("2")) } == "(1, \"2\") |")
        #expect(
            results { Driver.combineLatest(Driver.just(1), Driver.just("2"), Driver.just(3)) { "\($0)\($1)\($2)" } }
                == "123 |")
        #expect(results { Driver.combineLatest(Driver.just(1), Driver.just("2"), Driver.just(3)) } == "(1, \"2\", 3) |")
        #expect(
            results {
                Driver.combineLatest(Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4")) {
                    "\($0)\($1)\($2)\($3)"
                }
            } == "1234 |")
        #expect(
            results { Driver.combineLatest(Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4")) }
                == "(1, \"2\", 3, \"4\") |")
        #expect(
            results {
                Driver.combineLatest(Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4"), Driver.just(5))
                { "\($0)\($1)\($2)\($3)\($4)" }
            } == "12345 |")
        #expect(
            results {
                Driver.combineLatest(Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4"), Driver.just(5))
            } == "(1, \"2\", 3, \"4\", 5) |")
        #expect(
            results {
                Driver.combineLatest(
                    Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4"), Driver.just(5), Driver.just("6")
                ) { "\($0)\($1)\($2)\($3)\($4)\($5)" }
            } == "123456 |")
        #expect(
            results {
                Driver.combineLatest(
                    Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4"), Driver.just(5), Driver.just("6")
                )
            } == "(1, \"2\", 3, \"4\", 5, \"6\") |")
        #expect(
            results {
                Driver.combineLatest(
                    Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4"), Driver.just(5),
                    Driver.just("6"), Driver.just(7)
                ) { "\($0)\($1)\($2)\($3)\($4)\($5)\($6)" }
            } == "1234567 |")
        #expect(
            results {
                Driver.combineLatest(
                    Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4"), Driver.just(5),
                    Driver.just("6"), Driver.just(7))
            } == "(1, \"2\", 3, \"4\", 5, \"6\", 7) |")
        #expect(
            results {
                Driver.combineLatest(
                    Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4"), Driver.just(5),
                    Driver.just("6"), Driver.just(7), Driver.just("8")
                ) { "\($0)\($1)\($2)\($3)\($4)\($5)\($6)\($7)" }
            } == "12345678 |")
        #expect(
            results {
                Driver.combineLatest(
                    Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4"), Driver.just(5),
                    Driver.just("6"), Driver.just(7), Driver.just("8"))
            } == "(1, \"2\", 3, \"4\", 5, \"6\", 7, \"8\") |")
    }

    @Test("zip, with a closure and without")
    func zip() {
        #expect(results { Driver.zip(Driver.just(1), Driver.just("2")) { "\($0)\($1)" } } == "12 |")
        #expect(results { Driver.zip(Driver.just(1), Driver.just("2")) } == "(1, \"2\") |")
        #expect(
            results { Driver.zip(Driver.just(1), Driver.just("2"), Driver.just(3)) { "\($0)\($1)\($2)" } } == "123 |")
        #expect(results { Driver.zip(Driver.just(1), Driver.just("2"), Driver.just(3)) } == "(1, \"2\", 3) |")
        #expect(
            results {
                Driver.zip(Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4")) {
                    "\($0)\($1)\($2)\($3)"
                }
            } == "1234 |")
        #expect(
            results { Driver.zip(Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4")) }
                == "(1, \"2\", 3, \"4\") |")
        #expect(
            results {
                Driver.zip(Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4"), Driver.just(5)) {
                    "\($0)\($1)\($2)\($3)\($4)"
                }
            } == "12345 |")
        #expect(
            results { Driver.zip(Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4"), Driver.just(5)) }
                == "(1, \"2\", 3, \"4\", 5) |")
        #expect(
            results {
                Driver.zip(
                    Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4"), Driver.just(5), Driver.just("6")
                ) { "\($0)\($1)\($2)\($3)\($4)\($5)" }
            } == "123456 |")
        #expect(
            results {
                Driver.zip(
                    Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4"), Driver.just(5), Driver.just("6")
                )
            } == "(1, \"2\", 3, \"4\", 5, \"6\") |")
        #expect(
            results {
                Driver.zip(
                    Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4"), Driver.just(5),
                    Driver.just("6"), Driver.just(7)
                ) { "\($0)\($1)\($2)\($3)\($4)\($5)\($6)" }
            } == "1234567 |")
        #expect(
            results {
                Driver.zip(
                    Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4"), Driver.just(5),
                    Driver.just("6"), Driver.just(7))
            } == "(1, \"2\", 3, \"4\", 5, \"6\", 7) |")
        #expect(
            results {
                Driver.zip(
                    Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4"), Driver.just(5),
                    Driver.just("6"), Driver.just(7), Driver.just("8")
                ) { "\($0)\($1)\($2)\($3)\($4)\($5)\($6)\($7)" }
            } == "12345678 |")
        #expect(
            results {
                Driver.zip(
                    Driver.just(1), Driver.just("2"), Driver.just(3), Driver.just("4"), Driver.just(5),
                    Driver.just("6"), Driver.just(7), Driver.just("8"))
            } == "(1, \"2\", 3, \"4\", 5, \"6\", 7, \"8\") |")
    }
}
