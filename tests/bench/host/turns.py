import sys
total = 0
for i in range(int(sys.argv[1])):
    total = total + i % 7
print(total)
