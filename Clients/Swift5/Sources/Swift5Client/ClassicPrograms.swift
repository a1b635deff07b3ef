import Rx

func classicPrograms() {}
