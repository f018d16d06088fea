# A table of BLAST hits: sparse, since most pairs have no hit, and asymmetric.
python make_data.py blast
similearn inspect hits.tsv --labels families.tsv
# The bit score counts; --score evalue or --score identity would count another column.
similearn fit hits.tsv --labels families.tsv -o hits.model
# New proteins were searched against the known ones: they are joined by their ids.
similearn predict hits.model new-hits.tsv -o predicted.csv
