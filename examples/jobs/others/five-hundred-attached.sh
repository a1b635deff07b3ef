# Each line of customers is a customer; each line of results begins with it. The same command resumes.
parallel -j8 --tag --joblog log --resume report :::: customers >results
