"""More than one square table: several tables of the same objects, and rows against columns.

May import: `estimators` and what is below it. `stack` checks several tables, `consensus` maps them
by the ordinary engine, `subjects` adds weights of subjects, `reliability` says how far each is
trusted, and `individual` is the estimator;
`rectangle` and `unfolding` are the same for tables of rows and columns.
"""
