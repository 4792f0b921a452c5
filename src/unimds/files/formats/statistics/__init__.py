"""Files of statistical programs: R, SPSS and Stata. Reading never executes anything."""
