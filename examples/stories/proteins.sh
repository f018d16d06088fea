# Proteins in FASTA, their families in a table: which family is a new protein of?
python make_data.py proteins
# What are they like? They are compared first; the pictures are in similearn-proteins.
similearn inspect proteins.fasta --labels families.tsv
# The model holds the proteins and how they are compared: new ones need nothing else.
similearn fit proteins.fasta --labels families.tsv --similarity smith-waterman -o families.model
similearn show families.model
similearn predict families.model new.fasta -o predicted.csv
