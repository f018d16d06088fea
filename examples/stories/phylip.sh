# A PHYLIP matrix of distances between genomes, as Mash and many others write it.
python make_data.py phylip
similearn inspect distances.phy --labels places.tsv
similearn fit distances.phy --labels places.tsv --method knn -o places.model
# The new file holds old and new genomes: the new ones are told by their names.
similearn predict places.model all.phy -o predicted.csv
